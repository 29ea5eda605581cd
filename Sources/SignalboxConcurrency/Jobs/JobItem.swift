// JobItem — a job of Swift's runtime in a queue, in a node of its own.
//
// If the queue uses the item's flags, the job's own memory cannot serve as the item: see `PoolJob`.
//
// Touching    the submitter before it hands the item over, then the thread that runs it.

import SignalboxDispatch
import SignalboxRuntime

struct JobItem {
  /// The queue that was asked to run the job. A global queue hands an item of another class to
  /// that class's queue, so another queue may run it.
  // SAFETY: code that runs jobs on a queue keeps the queue alive during that time, and so do
  // pending items.
  let queue: Unmanaged<DispatchQueue>?
  /// The job, at `Item.capturesOffset`, as in every item with the flag `job`.
  let job: UnownedJob

  /// The offset of this structure in the node, behind the item.
  private static var offset: Int { Item.capturesOffset - MemoryLayout<UnsafeRawPointer>.size }

  /// Creates an item that calls `function`, which takes the job out.
  static func make(
    _ job: UnownedJob, for queue: Unmanaged<DispatchQueue>? = nil,
    _ function: @escaping Item.Function, flags: Item.Flags
  ) -> ItemPointer {
    let raw = NodeCache.items.take()
    // SAFETY: fresh memory of a node's size; the item and this structure fit in it together.
    (raw + offset).bindMemory(to: JobItem.self, capacity: 1).initialize(
      to: JobItem(queue: queue, job: job))
    raw.bindMemory(to: Item.self, capacity: 1)
      .initialize(to: Item(function, flags: flags.union(.job).union(.captures)))
    return raw.assumingMemoryBound(to: Item.self)
  }

  /// Takes the job out and frees the node.
  static func take(_ raw: UnsafeMutableRawPointer) -> JobItem {
    // SAFETY: made by `make`.
    let contents = (raw + offset).assumingMemoryBound(to: JobItem.self).move()
    NodeCache.items.give(raw)
    return contents
  }
}
