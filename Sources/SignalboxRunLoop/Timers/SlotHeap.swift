// SlotHeap — numbered slots sorted by a key, with removal by slot.
//
// The heap holds keys and slots but no timers: it retains nothing and reads few cache lines.
//
// Touching    a value: its owner.

import SignalboxRuntime

typealias SlotHeap = Heap<SlotEntry>

struct SlotEntry: HeapEntry {
  let key: Int64
  let slot: Int32

  @inline(__always)
  static func < (a: SlotEntry, b: SlotEntry) -> Bool { a.key < b.key }

  /// Records the slot's index in the heap. The index is -1 while the slot is not in the heap.
  @inline(__always)
  func note(_ index: Int, in indices: inout [Int32]) {
    indices[Int(slot)] = Int32(truncatingIfNeeded: index)
  }
}

extension SlotHeap {
  init() { self.init(notes: []) }

  /// The smallest key, or `Int64.max` if the heap is empty.
  var firstKey: Int64 { first?.key ?? .max }

  /// Inserts a slot that is not in the heap.
  mutating func insert(_ slot: Int32, _ key: Int64) {
    while notes.count <= Int(slot) { notes.append(-1) }
    insert(SlotEntry(key: key, slot: slot))
  }

  /// - Returns: whether the slot was in the heap.
  @discardableResult
  mutating func remove(_ slot: Int32) -> Bool {
    guard slot < notes.count, notes[Int(slot)] >= 0 else { return false }
    remove(at: Int(notes[Int(slot)]))
    return true
  }

  /// Visits the entries whose key is at most `limit`, in no particular order. Looks at no more
  /// than about four times as many.
  func forEach(upTo limit: Int64, from index: Int = 0, _ body: (SlotEntry) -> Void) {
    guard index < count, entries[index].key <= limit else { return }
    body(entries[index])
    for child in children(of: index) { forEach(upTo: limit, from: child, body) }
  }
}
