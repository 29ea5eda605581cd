// QueueRecord — what others read of a queue, in one piece of memory.
//
// A report must not make a reference to a queue: the queue may be ending, or the reference may
// become the last one (see `QueueRegistry`). So the registry's lists consist of records, and a
// report reads the record, never the object: only what is atomic or never changes.
//
// Touching    `list`'s head: the owner by `state`. `head.above`, `base`: written like
//             `DispatchQueue.target`.
//             `level`: see `QueueLevel`. `links`: under the lock of the registry's list. The rest
//             never changes, or is atomic.

import SignalboxDiagnostics
public import SignalboxRuntime
import Synchronization

@usableFromInline
struct QueueRecord: ~Copyable {
  /// SAFETY: the record is a part of the queue's memory, which does not move.
  @usableFromInline typealias Pointer = UnsafeMutablePointer<QueueRecord>

  /// First, for the C interface.
  let head: QueueHead
  /// The queue's links in the list of all queues; see `AllQueues`.
  private var links = ListLinks<Pointer>()
  @usableFromInline let state: QueueState
  /// How `sync` may enter the queue without further checks.
  @usableFromInline let entry: DispatchQueue.Entry
  // These three are here because they fit behind `entry`, before the next word.
  let shape: DispatchQueue.Shape
  /// See `DispatchQueue.base`.
  let base: SingleWriter<UInt8>
  /// The queue's number in recordings.
  let traceNumber = TraceQueueNumber()
  @usableFromInline let list = ItemList()
  /// Placed after `list`, and so on the cache line of its tail, which a submitting thread
  /// touches anyway.
  let level = QueueLevel()
  /// Behind `level` for the same reason.
  let submissions = Submissions()
  let drainTask = DrainTask()
  let label: String
  /// The address of a workloop's ordered lists; 0 for other queues.
  let ordered: UInt

  init(
    shape: DispatchQueue.Shape, label: String, entry: DispatchQueue.Entry, inactive: Bool,
    base: Urgency, above: Unmanaged<DispatchQueue>?, ordered: UInt
  ) {
    head = QueueHead(above: above, widthForC: shape.widthForC)
    state = QueueState(inactive: inactive)
    self.entry = entry
    self.shape = shape
    self.base = SingleWriter(base.rawValue)
    self.label = label
    self.ordered = ordered
  }

  /// The queue itself.
  var queue: Unmanaged<DispatchQueue> { drainTask.sender }

  /// The record of the target, which lives as long as the queues that target it.
  static func target(of record: Pointer) -> Pointer? {
    // SAFETY: each queue has its record at the same distance from its address.
    let distance = UnsafeRawPointer(record) - UnsafeRawPointer(record.pointee.queue.toOpaque())
    return record.pointee.head.above.load().map {
      ($0.toOpaque() + distance).assumingMemoryBound(to: QueueRecord.self)
    }
  }
}

/// The fields of a queue that others than Signalbox read: `dispatch_queue_offsets` of the C
/// interface presents the target and the width to ThreadSanitizer. They are at the same distances
/// in a source and in its core, which stands for a serial queue on the source's target.
struct QueueHead: ~Copyable {
  /// See `DispatchQueue.above`.
  let above: SingleWriter<Unmanaged<DispatchQueue>?>
  /// The process's fork count when the queue was last checked for work that belongs to the
  /// parent; see `DispatchQueue+Fork.swift`.
  let forkCount = Atomic(Fork.count)
  /// How many items may run at a time, in the words of the toolchain's library.
  let widthForC: UInt16

  init(above: Unmanaged<DispatchQueue>?, widthForC: UInt16) {
    self.above = SingleWriter(above)
    self.widthForC = widthForC
  }
}

/// The list of all queues, for `QueueRegistry`.
enum AllQueues: ListLinkage {
  /// The links, without an access to the record: for ThreadSanitizer, a change of a field through
  /// a pointer is a change of everything there.
  static func links(of record: QueueRecord.Pointer) -> ListLinks<QueueRecord.Pointer>.Pointer {
    // SAFETY: the links follow `head`, at the next address of their alignment.
    (UnsafeMutableRawPointer(record) + MemoryLayout<QueueHead>.stride)
      .assumingMemoryBound(to: ListLinks<QueueRecord.Pointer>.self)
  }
}
