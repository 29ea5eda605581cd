// Heap — a priority queue. If entries record their indices, any entry can be removed.
//
// Each node has four children: the children of a node are adjacent in memory, and the heap is
// half as deep as a binary one. Inserting and removing take O(log n), on average a few steps
// whatever n is; looking at the first takes O(1). An entry should hold its key itself, so that
// comparisons read the array and nothing else.
//
// Touching    a value: its owner.

/// An entry of a `Heap`: a small value that compares by its key.
@usableFromInline
package protocol HeapEntry: Comparable {
  /// Where the entries of a heap record their indices. By default nowhere, or each entry in its own
  /// memory; a type may choose another place.
  associatedtype Notes = Void
  /// Notes the index of the entry, or -1 when it leaves the heap.
  func note(_ index: Int, in notes: inout Notes)
}

extension HeapEntry where Notes == Void {
  @inlinable @inline(__always)
  package func note(_ index: Int, in notes: inout Void) {}
}

@frozen @usableFromInline
package struct Heap<Entry: HeapEntry> {
  @usableFromInline package internal(set) var entries: [Entry] = []
  @usableFromInline package var notes: Entry.Notes

  @inlinable package init(notes: Entry.Notes) { self.notes = notes }

  @inlinable package var isEmpty: Bool { entries.isEmpty }
  @inlinable package var count: Int { entries.count }
  @inlinable package var first: Entry? { entries.first }

  /// The indices of a node's children. No entry below a node sorts before the node's own entry.
  @inlinable @inline(__always)
  package func children(of index: Int) -> Range<Int> {
    let first = index * 4 + 1
    return first..<max(first, min(first + 4, entries.count))
  }

  @inlinable
  package mutating func insert(_ entry: Entry) {
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// Removes the entry at this index, which is 0 for the first one.
  @inlinable
  package mutating func remove(at index: Int) {
    entries[index].note(-1, in: &notes)
    let last = entries.removeLast()
    guard index < entries.count else { return }
    if index > 0 && last < entries[(index - 1) / 4] {
      siftUp(last, from: index)
    } else {
      siftDown(last, from: index)
    }
  }

  /// Replaces the first entry. Takes one pass where removing and inserting take two.
  @inlinable
  package mutating func replaceFirst(with entry: Entry) {
    entries[0].note(-1, in: &notes)
    siftDown(entry, from: 0)
  }

  @inlinable @inline(__always)
  mutating func put(_ entry: Entry, at index: Int) {
    entries[index] = entry
    entry.note(index, in: &notes)
  }

  @inlinable
  mutating func siftUp(_ entry: Entry, from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 4
      guard entry < entries[parent] else { break }
      put(entries[parent], at: index)
      index = parent
    }
    put(entry, at: index)
  }

  @inlinable
  mutating func siftDown(_ entry: Entry, from start: Int) {
    var index = start
    while true {
      let children = children(of: index)
      guard var child = children.first else { break }
      for other in children.dropFirst() where entries[other] < entries[child] { child = other }
      guard entries[child] < entry else { break }
      put(entries[child], at: index)
      index = child
    }
    put(entry, at: index)
  }
}

extension Heap where Entry.Notes == Void {
  @inlinable package init() { self.init(notes: ()) }
}
