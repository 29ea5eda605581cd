// QueueRegistry — all queues of the process, linked to each other, for reports.
//
// Only a report walks the lists; a queue enters a list when it is created and leaves when it is
// freed. There are several lists, each with its own lock, so that threads that create and free
// queues rarely contend. A list does not retain its queues.
//
// Touching    a list, and the links of the queues in it: under its lock.
// Invariants  I1  a queue is in its list from the end of `DispatchQueue.init` until the beginning
//                 of its `deinit`, or until `releaseTargets` removes it. So while a list's lock is
//                 held, no queue in the list is freed, and no field of its `DispatchQueue` part is
//                 torn down.
//             I2  with a lock held, no code allocates or frees memory. No code makes a reference to
//                 a queue: the queue may be ending, or the reference may become the last one, and
//                 the queue would end here and wait for the lock. No code reads a field of a
//                 subclass, because a subclass is torn down before this class's `deinit` begins. A
//                 subclass that leaves the list itself before that, as `DispatchWorkloop` does, is
//                 the exception.
//             I3  a report reads only a queue's record: unoptimized code counts references even
//                 where the source names none.
// Rejected    a walk through the engine's structures: it does not find a suspended queue with a
//             thousand items, or a queue whose thread does not wait. See
//             Documentation/Decisions/0006-a-registry-of-queues.md.

import CSignalbox
import SignalboxRuntime

final class QueueRegistry: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = QueueRegistry()

  /// The locks, in separate memory from the lists. While a list is changed in place, no other
  /// thread may touch the same variable, not even atomically.
  private let locks: UnsafeMutablePointer<Guard>
  private let lists: UnsafeMutablePointer<List>

  /// A lock on its own cache line. Each list has its own cache line too.
  private struct Guard: ~Copyable {
    let lock = EngineLock()
    private let apart = InlineArray<15, UInt32>(repeating: 0)
  }

  private struct List {
    var queues = IntrusiveList<AllQueues>()
    /// The sums of what the queues had counted when they left the list.
    var ended = QueueCounts()
    /// Grows by two with each call of `remove`, also if the queue had left before. It is odd while
    /// a queue may be neither in the list nor in the sums, for readers in other processes. Written
    /// under the lock.
    var changes: UInt64 = 0
    private let apart = InlineArray<1, UInt64>(repeating: 0)
  }

  /// The number of lists: several times the number of threads that create queues at once; a power
  /// of two.
  private static let width = 16

  private init() {
    locks = .allocate(capacity: QueueRegistry.width)
    lists = .allocate(capacity: QueueRegistry.width)
    for index in 0..<QueueRegistry.width {
      (locks + index).initialize(to: Guard())
      (lists + index).initialize(to: List())
    }
    describe()
  }

  /// Publishes the lists for readers in other processes.
  private func describe() {
    guard let first = MemoryLayout<List>.offset(of: \.queues.first),
      let count = MemoryLayout<List>.offset(of: \.queues.count),
      let changes = MemoryLayout<List>.offset(of: \.changes)
    else { return }
    QueueRecord.describe()
    // The registry of waits does the same. This does not use that registry: an initializer must not
    // force another initializer.
    OutsideTable.describeQueues()
    OutsideTable.address("queues", "first", at: first)
    OutsideTable.number("queues", "count", at: count, size: MemoryLayout<Int>.size)
    OutsideTable.number("queues", "changes", at: changes, size: MemoryLayout<UInt64>.size)
    QueueCounts.describe(at: MemoryLayout<List>.offset(of: \.ended))
    OutsideTable.constant("queues", "stride", MemoryLayout<List>.stride)
    OutsideTable.constant("queues", "ordered count", Band.count)
    OutsideTable.constant("queues", "ordered stride", MemoryLayout<ItemList>.stride)
    // Do this last: a reader that finds the lists then also finds their description.
    OutsideTable.root("queues", UnsafeRawPointer(lists), count: QueueRegistry.width)
  }

  /// Queues are a few hundred bytes apart, so a multiplication mixes their addresses.
  private func index(of queue: DispatchQueue) -> Int {
    let mixed = UInt64(UInt(bitPattern: queue.address)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 60)
  }

  // MARK: Coming and going

  func add(_ queue: DispatchQueue) {
    let index = index(of: queue)
    locks[index].lock.lock()
    lists[index].queues.prepend(queue.recordPointer)
    locks[index].lock.unlock()
  }

  /// Does nothing if the queue has left its list already.
  func remove(_ queue: DispatchQueue) {
    let index = index(of: queue)
    locks[index].lock.lock()
    csb_outside_begin_change(&lists[index].changes)
    if lists[index].queues.remove(queue.recordPointer) {
      lists[index].ended.add(QueueCounts(queue.recordPointer))
    }
    csb_outside_end_change(&lists[index].changes)
    locks[index].lock.unlock()
  }

  // MARK: Reports

  /// The visible state of each queue that holds items or is held, in no particular order.
  var snapshots: [QueueSnapshot] {
    (0..<QueueRegistry.width).flatMap { index in
      locks[index].lock.snapshot(of: lists[index].queues) { QueueSnapshot($0) }
    }
  }

  /// The label of each queue, by its address.
  var labels: [UInt: String] {
    let all: [(UInt, String)] = (0..<QueueRegistry.width).flatMap { index in
      locks[index].lock.snapshot(of: lists[index].queues) {
        (UInt(bitPattern: $0.pointee.queue.toOpaque()), $0.pointee.label)
      }
    }
    return Dictionary(all, uniquingKeysWith: { $1 })
  }

  /// What each queue has counted, in no particular order, and the sums of the queues that have
  /// ended.
  var counts: (queues: [CountedQueue], ended: QueueCounts) {
    var ended = QueueCounts()
    let queues = (0..<QueueRegistry.width).flatMap { index in
      var endedHere = QueueCounts()
      // Read both under one lock, so that a queue which ends at this moment is in exactly one of
      // them.
      let counted = locks[index].lock.snapshot(of: list(at: index, &endedHere)) { CountedQueue($0) }
      ended.add(endedHere)
      return counted
    }
    return (queues, ended)
  }

  /// The caller holds the lock.
  private func list(at index: Int, _ ended: inout QueueCounts) -> IntrusiveList<AllQueues> {
    ended = lists[index].ended
    return lists[index].queues
  }

  // MARK: Fork

  func lockForFork() {
    for index in 0..<QueueRegistry.width { locks[index].lock.lock() }
  }

  func unlockAfterFork() {
    for index in 0..<QueueRegistry.width { locks[index].lock.unlock() }
  }

  /// Forgets all queues in a forked child whose fork was not prepared; its only thread calls it.
  /// Another thread of the parent may have been creating a queue, which the child can never find.
  func forgetAll() {
    for index in 0..<QueueRegistry.width {
      locks[index].lock.forgetHolder()
      lists[index].queues.removeAll()
      // A fork without preparation may have copied an odd number.
      lists[index].changes = (lists[index].changes &+ 1) & ~1
    }
  }
}
