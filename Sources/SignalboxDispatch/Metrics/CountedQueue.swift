// CountedQueue — what a snapshot of the metrics reads of a queue, without a reference to it.

import SignalboxRuntime

struct CountedQueue {
  /// The queue's address, for comparisons.
  let id: UInt
  let label: String
  let shape: DispatchQueue.Shape
  let counts: QueueCounts
  let lists: QueueLists

  /// Reads the record with the list's lock held.
  init(_ record: QueueRecord.Pointer) {
    id = UInt(bitPattern: record.pointee.queue.toOpaque())
    label = record.pointee.label
    shape = record.pointee.shape
    // Read these before the items, which are counted without the lock: see
    // `SignalboxMetrics.Queue.submitted`.
    counts = QueueCounts(record)
    lists = QueueLists(record)
  }
}
