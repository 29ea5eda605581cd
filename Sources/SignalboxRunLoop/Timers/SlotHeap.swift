// SlotHeap — numbered slots in order of a key, each of which can be taken out at once.
//
// A heap of four children a parent. It knows where each slot stands, so that to take one out
// is no search. O(log n) to insert and to take out, O(1) to look at the first. Keys and
// slots are all it touches, and no timer: nothing is retained, and few lines of the cache
// are read.
//
// Touching    a value: whoever has it.

struct SlotHeap {
  struct Entry: Equatable {
    let key: Int64
    let slot: Int32
  }
  private var entries: [Entry] = []
  /// By slot: where it stands, or -1.
  private var places: [Int32] = []

  private static let arity = 4

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// The least key; `Int64.max` if there is none.
  var first: Int64 {
    entries.isEmpty ? .max : entries[0].key
  }

  /// A slot that is not there.
  mutating func insert(_ slot: Int32, _ key: Int64) {
    while places.count <= Int(slot) { places.append(-1) }
    let entry = Entry(key: key, slot: slot)
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// - Returns: whether it was there.
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

  /// Those whose key is no greater than `limit`, in no order; it looks at four times as many
  /// at most.
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
