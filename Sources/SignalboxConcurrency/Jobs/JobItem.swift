// JobItem — a job of Swift's runtime in a queue, in a node of its own.
//
// If the queue uses the item's flags, a job cannot serve as the item itself: see `PoolJob`.
//
// Touching    the submitter before it hands the item over, then the thread that runs it.

import SignalboxDispatch
import SignalboxRuntime

struct JobItem {
  let job: UnownedJob
  /// The queue that was asked to run the job. A global queue hands an item of another class to
  /// that class's queue, so another queue may run it.
  // SAFETY: code that runs jobs on a queue keeps the queue alive during that time, and so do
  // pending items.
  let queue: Unmanaged<DispatchQueue>?

  /// The offset of the job's data, which follows the item.
  private static var offset: Int { MemoryLayout<Item>.stride }

  /// Creates an item that calls `function`, which takes the job out.
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
