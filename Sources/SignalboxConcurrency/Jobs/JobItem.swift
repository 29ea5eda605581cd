// JobItem — a job of Swift's runtime on its way through a queue, in a node of its own.
//
// Where the item's flags count, a job cannot be an item itself: see `PoolJob`.
//
// Touching    the submitter before it hands the item over, then whoever runs it.

import SignalboxDispatch
import SignalboxRuntime

struct JobItem {
  let job: UnownedJob
  /// The queue that was asked to run it. Where an item asks for another class, a global queue
  /// hands it to that class's: the one on which it runs may be another.
  // SAFETY: who has jobs run on a queue keeps it meanwhile, and so do pending items.
  let queue: Unmanaged<DispatchQueue>?

  /// Behind the item.
  private static var offset: Int { MemoryLayout<Item>.stride }

  /// Makes an item that calls `function`, which takes the job out.
  static func make(
    _ job: UnownedJob, for queue: Unmanaged<DispatchQueue>? = nil,
    _ function: @escaping Item.Function, flags: Item.Flags
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which both together do not exceed.
    (raw + offset).bindMemory(to: JobItem.self, capacity: 1).initialize(
      to: JobItem(job: job, queue: queue))
    raw.bindMemory(to: Item.self, capacity: 1).initialize(to: Item(function, flags: flags))
    return raw.assumingMemoryBound(to: Item.self)
  }

  /// Takes the job out and frees the node.
  static func take(_ raw: UnsafeMutableRawPointer) -> JobItem {
    // SAFETY: made by `make`.
    let contents = (raw + offset).assumingMemoryBound(to: JobItem.self).move()
    NodeCache.give(raw)
    return contents
  }
}
