// SearchItem — a search for deadlocks that runs on another thread.
//
// Touching    `record`: the creating thread, then the thread that runs the item.

struct SearchItem: ~Copyable {
  private let item: Item
  private let record: Unmanaged<WaitRecord>

  /// Creates an item that searches from the waiting thread of `record`.
  static func make(_ record: WaitRecord) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which this type does not exceed.
    raw.bindMemory(to: SearchItem.self, capacity: 1).initialize(to: SearchItem(record))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ record: WaitRecord) {
    self.record = Unmanaged.passRetained(record)  // SAFETY: released when the item runs.
    item = Item({ raw in
      // SAFETY: made by `make`.
      let search = raw.assumingMemoryBound(to: SearchItem.self)
      let record = search.pointee.record.takeRetainedValue()
      search.deinitialize(count: 1)
      NodeCache.give(raw)
      _ = DeadlockSearch.tellOfCycle(from: record)
    })
  }
}
