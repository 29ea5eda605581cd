// SlotHeap — numbered slots sorted by a key, with removal by slot.
//
// A heap with four children per node. It records the position of each slot, so removing one
// needs no search. Inserting and removing take O(log n), looking at the first O(1). The heap
// holds keys and slots but no timers: it retains nothing and reads few cache lines.
//
// Touching    a value: its owner.

struct SlotHeap {
  struct Entry: Equatable {
    let key: Int64
    let slot: Int32
  }
  private var entries: [Entry] = []
  /// The position of each slot in the heap, or -1.
  private var places: [Int32] = []

  private static let arity = 4

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// The smallest key, or `Int64.max` if the heap is empty.
  var first: Int64 {
    entries.isEmpty ? .max : entries[0].key
  }

  /// Inserts a slot that is not in the heap.
  mutating func insert(_ slot: Int32, _ key: Int64) {
    while places.count <= Int(slot) { places.append(-1) }
    let entry = Entry(key: key, slot: slot)
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// - Returns: whether the slot was in the heap.
  @discardableResult
  mutating func remove(_ slot: Int32) -> Bool {
    guard slot < places.count, places[Int(slot)] >= 0 else { return false }
    let place = Int(places[Int(slot)])
    places[Int(slot)] = -1
    let last = entries.removeLast()
    guard last.slot != slot else { return true }
    if place > 0 && last.key < entries[(place - 1) / SlotHeap.arity].key {
      siftUp(last, from: place)
    } else {
      siftDown(last, from: place)
    }
    return true
  }

  /// Visits the entries whose key is at most `limit`, in no particular order. Looks at no more
  /// than about four times as many.
  func forEach(upTo limit: Int64, _ body: (Entry) -> Void) {
    visit(0, limit, body)
  }

  private func visit(_ place: Int, _ limit: Int64, _ body: (Entry) -> Void) {
    guard place < entries.count, entries[place].key <= limit else { return }
    body(entries[place])
    let first = place * SlotHeap.arity + 1
    for child in first..<first + SlotHeap.arity { visit(child, limit, body) }
  }

  // MARK: Order

  @inline(__always)
  private mutating func put(_ entry: Entry, at place: Int) {
    entries[place] = entry
    places[Int(entry.slot)] = Int32(truncatingIfNeeded: place)
  }

  private mutating func siftUp(_ entry: Entry, from start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / SlotHeap.arity
      guard entry.key < entries[parent].key else { break }
      put(entries[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var place = start
    while true {
      let first = place * SlotHeap.arity + 1
      guard first < entries.count else { break }
      var child = first
      for other in first + 1..<max(first + 1, min(first + SlotHeap.arity, entries.count))
      where entries[other].key < entries[child].key {
        child = other
      }
      guard entries[child].key < entry.key else { break }
      put(entries[child], at: place)
      place = child
    }
    put(entry, at: place)
  }
}
