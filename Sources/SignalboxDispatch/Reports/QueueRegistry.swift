// QueueRegistry — all queues of the process, through links in them, for reports.
//
// Nobody but a report walks the lists; a queue enters when it is made and leaves when it
// ends. There are several lists, each with a lock, so that threads which make and free queues
// seldom want the same one. A queue is not kept by its list.
//
// Touching    a list, and the links of the queues in it: under its lock.
// Invariants  I1  a queue is in its list from the end of `DispatchQueue.init` until the
//                 beginning of its `deinit`, or until `releaseTargets` ends it: while a
//                 list's lock is held, none of the queues in it is freed, and nothing of
//                 theirs that belongs to `DispatchQueue` is torn down.
//             I2  with a lock held nothing is allocated or freed, no reference to a queue
//                 is made (it may be ending; and a live one's may become the last, whose
//                 queue would end, and wait for the lock, here), and nothing of a subclass is
//                 read, whose part is torn down before `deinit` begins here; unless that
//                 subclass has left the list itself before, as `DispatchWorkloop` does.
//             I3  a report reads a queue through addresses alone (`QueueGlance`): code that is
//                 not optimized counts references where the source names none.
// Rejected    a walk through what the engine has: a suspended queue with a thousand items, or
//             one that a thread serves which does not wait, is found from nowhere.
//             See Documentation/Decisions/0006-a-registry-of-queues.md.

import CSignalbox
import SignalboxRuntime

final class QueueRegistry: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = QueueRegistry()

  /// Apart from the lists: a list is changed in place, and what is changed in place may be
  /// touched by nobody else meanwhile, not even atomically.
  private let locks: UnsafeMutablePointer<Guard>
  private let lists: UnsafeMutablePointer<List>

  /// On a cache line of its own, as a list is.
  private struct Guard: ~Copyable {
    let lock = EngineLock()
    private let apart = InlineArray<15, UInt32>(repeating: 0)
  }

  private struct List {
    var queues = IntrusiveList<AllQueues>()
    /// Set when the first queue enters.
    var fields = QueueFields()
    private let apart = InlineArray<2, UInt64>(repeating: 0)
  }

  /// Some times as many as threads make queues at a time; a power of two.
  private static let width = 16

  private init() {
    locks = .allocate(capacity: QueueRegistry.width)
    lists = .allocate(capacity: QueueRegistry.width)
    for index in 0..<QueueRegistry.width {
      (locks + index).initialize(to: Guard())
      (lists + index).initialize(to: List())
    }
  }

  /// Queues are some hundred bytes apart: their addresses are mixed by a multiplication.
  private func index(of queue: DispatchQueue) -> Int {
    let mixed = UInt64(UInt(bitPattern: queue.address)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 60)
  }

  // MARK: Coming and going

  func add(_ queue: DispatchQueue) {
    let index = index(of: queue)
    locks[index].lock.lock()
    if lists[index].queues.isEmpty { lists[index].fields = QueueFields(of: queue) }
    lists[index].queues.prepend(queue.listing)
    locks[index].lock.unlock()
  }

  /// Does nothing if the queue has left already.
  func remove(_ queue: DispatchQueue) {
    let index = index(of: queue)
    locks[index].lock.lock()
    lists[index].queues.remove(queue.listing)
    locks[index].lock.unlock()
  }

  // MARK: Reports

  /// What can be seen of each queue that holds items or is held, in no order.
  var glances: [QueueGlance] {
    (0..<QueueRegistry.width).flatMap { index in
      locks[index].lock.snapshot(of: lists[index].queues) {
        QueueGlance($0, lists[index].fields)
      }
    }
  }

  // MARK: Fork

  func lockForFork() {
    for index in 0..<QueueRegistry.width { locks[index].lock.lock() }
  }

  func unlockAfterFork() {
    for index in 0..<QueueRegistry.width { locks[index].lock.unlock() }
  }

  /// In a forked child that nobody prepared, by its only thread: another one may have been
  /// making a queue, which nobody will ever know of here.
  func forgetAll() {
    for index in 0..<QueueRegistry.width {
      locks[index].lock.forgetHolder()
      lists[index].queues = IntrusiveList()
    }
  }
}

/// A queue's links in its list: two words, with which a queue is as large as the allocator's
/// step allows.
struct QueuePlace {
  // SAFETY: see I1 of `QueueRegistry`.
  typealias Pointer = UnsafeMutablePointer<QueuePlace>

  fileprivate var links = ListLinks<Pointer>()
}

private enum AllQueues: ListLinkage {
  static func links(of queue: QueuePlace.Pointer) -> ListLinks<QueuePlace.Pointer>.Pointer {
    withUnsafeMutablePointer(to: &queue.pointee.links) { $0 }
  }
}
