// SearchItem — the engine's call for a search, and a search that runs on another thread.
//
// Touching    `record`: the creating thread, then the thread that runs the item.

import CSignalbox
import SignalboxRuntime

/// The engine calls this on a thread whose wait has lasted a long time.
@_cdecl("csb_diagnose_wait")
func diagnoseWait(_ raw: UnsafeMutableRawPointer) -> Int32 {
  // SAFETY: the calling thread's own record, which lives as long as the thread.
  let record = Unmanaged<WaitRecord>.fromOpaque(raw).takeUnretainedValue()
  let isLow = Worker.ofThisThread?.isLow ?? ProcessPriority.isLoweredHere
  if !isLow { return DeadlockSearch.tellOfCycle(from: record) ? 1 : 0 }
  // A search takes locks of other threads. Those threads must not wait for a thread of
  // low priority, whether it is a worker or not.
  Engine.current.pool.submitShared(SearchItem.make(record), at: .standard)
  return 1
}

struct SearchItem: ~Copyable {
  private let item: Item
  private let record: Unmanaged<WaitRecord>

  /// Creates an item that searches from the waiting thread of `record`.
  static func make(_ record: WaitRecord) -> ItemPointer {
    let raw = NodeCache.items.take()
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
      NodeCache.items.give(raw)
      _ = DeadlockSearch.tellOfCycle(from: record)
    })
  }
}
