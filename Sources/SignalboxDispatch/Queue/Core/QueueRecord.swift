// QueueRecord — the part of a queue that reports and readers in other processes read, in one piece
// of memory.
//
// A report must not make a reference to a queue: the queue may be ending, or the reference may
// become the last one (see `QueueRegistry`). So the registry's lists consist of records, and a
// report reads the record, never the object. It reads only fields that are atomic or never change.
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
  /// How `sync` enters the queue.
  @usableFromInline let entry: DispatchQueue.Entry
  // These four are here because they fit behind `entry`, before the next word.
  /// Never changes. A variable, because `describe` takes its address.
  private(set) var shape: DispatchQueue.Shape
  /// See `DispatchQueue.base`.
  let base: SingleWriter<UInt8>
  /// Where its waiting and running times are counted.
  let times = QueueTimesRow()
  /// The queue's number in recordings.
  let traceNumber = TraceQueueNumber()
  /// At an address that is a multiple of two words, as the counts in it require.
  @usableFromInline let list = ItemList()
  /// Placed after `list`, and so on the cache line of its tail, which a submitting thread
  /// touches anyway.
  let level = QueueLevel()
  /// Behind `level` for the same reason.
  let submissions = Submissions()
  let drainTask = DrainTask()
  /// Never changes. A variable, because `describe` takes its address.
  private(set) var label: String
  /// The address of a workloop's ordered lists; 0 for other queues. Never changes. A variable,
  /// because `describe` takes its address.
  private(set) var ordered: UInt

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

extension QueueRecord {
  /// Describes the structure to readers in other processes.
  static func describe() {
    // SAFETY: the memory is never read; only distances in it are taken.
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<QueueRecord>.size, alignment: MemoryLayout<QueueRecord>.alignment)
    defer { raw.deallocate() }
    let record = raw.assumingMemoryBound(to: QueueRecord.self)
    let links = UnsafeRawPointer(AllQueues.links(of: record)) - UnsafeRawPointer(raw)
    if let next = ListLinks<Pointer>.offsetOfNext {
      OutsideTable.address("queue", "next", at: links + next)
    }
    func distance(_ address: UnsafeRawPointer) -> Int { address - UnsafeRawPointer(raw) }
    OutsideTable.address("queue", "object", at: distance(record.pointee.drainTask.senderAddress))
    OutsideTable.address("queue", "target", at: distance(addressOfWord(record.pointee.head.above)))
    OutsideTable.address(
      "queue", "items", at: Int(record.pointee.list.address()) - Int(bitPattern: raw))
    OutsideTable.address(
      "queue", "ordered",
      at: withUnsafeMutablePointer(to: &record.pointee.ordered) { distance($0) })
    OutsideTable.number(
      "queue", "state", at: distance(addressOfWord(record.pointee.state.word)), size: 8)
    OutsideTable.number(
      "queue", "shape",
      at: withUnsafeMutablePointer(to: &record.pointee.shape) { distance($0) }, size: 1)
    let counts = { (count: borrowing SingleWriter<UInt64>, name: StaticString) in
      OutsideTable.number("queue", name, at: distance(addressOfWord(count)), size: 8)
    }
    counts(record.pointee.list.counts.runs, "runs")
    counts(record.pointee.list.counts.turns, "turns")
    counts(record.pointee.list.counts.waits, "waits")
    OutsideTable.number(
      "queue", "label",
      at: withUnsafeMutablePointer(to: &record.pointee.label) { distance($0) },
      size: MemoryLayout<String>.size)
    DispatchQueue.Shape.describe()
    QueueState.Snapshot.describe()
    QueueFrame.describe()
  }
}

/// The fields of a queue that code outside Signalbox reads: `dispatch_queue_offsets` of the C
/// interface shows the target and the width to ThreadSanitizer. A source holds its core at the
/// offset of the target, and the core holds the source's target there. So the core looks like a
/// serial queue on that target.
struct QueueHead: ~Copyable {
  /// See `DispatchQueue.above`.
  let above: SingleWriter<Unmanaged<DispatchQueue>?>
  /// The process's fork count when the queue was last checked for work that belongs to the
  /// parent; see `DispatchQueue+Fork.swift`.
  let forkCount = Atomic(Fork.count)
  /// How many items may run at a time, as the toolchain's library encodes it.
  let widthForC: UInt16

  init(above: Unmanaged<DispatchQueue>?, widthForC: UInt16) {
    self.above = SingleWriter(above)
    self.widthForC = widthForC
  }
}

/// The list of all queues, for `QueueRegistry`.
enum AllQueues: ListLinkage {
  /// The links, found without an access to the record: ThreadSanitizer would mistake a change of
  /// one field through a pointer for a change of the whole record.
  static func links(of record: QueueRecord.Pointer) -> ListLinks<QueueRecord.Pointer>.Pointer {
    // SAFETY: the links follow `head`, at the next address of their alignment.
    (UnsafeMutableRawPointer(record) + MemoryLayout<QueueHead>.stride)
      .assumingMemoryBound(to: ListLinks<QueueRecord.Pointer>.self)
  }
}
