// ConditionWaiter — a thread's entry in the queue of a condition, on the thread's stack.
//
// States      word: asleep → woken; back to asleep before it joins a queue again.
// Touching    `word`: written under the lock of the queue, read by the kernel and by the waiter.
//             All else: under that lock.
// Invariants  I1  a waiter's function returns only after it has found, under the queue's lock,
//                 that the waiter is in no list and not about to be woken. From then on its
//                 address is used only as a key for the kernel.
// Rejected    one word on which all waiters of a condition sleep: a thread that comes after a
//             signal can take the signal, and a broadcast wakes all waiters to compete for the
//             lock. Requeuing in the kernel solves the second problem, not the first.

import SignalboxRuntime

struct ConditionWaiter: ~Copyable {
  /// The links come first because ThreadSanitizer takes the use of their address for a change of
  /// the waiter's first word.
  fileprivate var links = ListLinks<WaiterPointer>()
  /// The waiting thread and the one that wakes it write this word, never at the same time. The
  /// queue's lock orders everything else.
  fileprivate let word = SingleWriter<UInt32>(Word.asleep)
  /// The value that it waits for, in a condition lock.
  let wanted: Int
  /// The list that it is in.
  fileprivate(set) var list = List.none

  enum List { case none, waiting, signalled }

  fileprivate enum Word {
    static let asleep: UInt32 = 0
    static let woken: UInt32 = 1
  }

  /// Whether its thread has a lower priority than others. If so, the next waiter is woken
  /// without waiting for this one to arrive.
  let isLow: Bool

  init(wanting value: Int, isLow: Bool) {
    wanted = value
    self.isLow = isLow
  }
}

typealias WaiterPointer = UnsafeMutablePointer<ConditionWaiter>

/// The address to wake at, after the queue's lock was released. The waiter may be gone by then.
// SAFETY: an address that is only a key for the kernel and never followed.
struct Wake: @unchecked Sendable {
  fileprivate let address: UnsafeRawPointer
  /// Whether to wake the next waiter too, without waiting for this one.
  let isOfLowThread: Bool

  func perform() { Parking.wake(address) }
}

extension WaiterPointer {
  /// Calls `body` with a waiter on this thread's stack.
  static func with<T>(
    wanting value: Int = 0, isLow: Bool = Worker.ofThisThread?.isLow == true,
    _ body: (WaiterPointer) -> T
  ) -> T {
    var waiter = ConditionWaiter(wanting: value, isLow: isLow)
    return withUnsafeMutablePointer(to: &waiter, body)
  }

  /// Sleeps until another thread wakes this waiter.
  ///
  /// - Returns: whether that happened before the deadline.
  func sleep(until deadline: Deadline, for reason: WaitReason, on resource: WaitResource) -> Bool {
    while pointee.word.load() == ConditionWaiter.Word.asleep {
      let outcome = Parking.wait(
        while: wordAddress(pointee.word), is: ConditionWaiter.Word.asleep, until: deadline,
        for: reason, on: resource)
      if outcome == .timedOut { return false }
    }
    return true
  }

  /// Prepares it for another sleep. The caller holds the queue's lock, and no thread is about to
  /// wake the waiter.
  func getReady() {
    pointee.word.store(ConditionWaiter.Word.asleep)
  }

  /// Ends its sleep, or prevents it.
  func wake() -> Wake {
    let address = wordAddress(pointee.word)
    pointee.word.store(ConditionWaiter.Word.woken)
    return Wake(address: address, isOfLowThread: pointee.isLow)
  }
}

/// Waiters in order of arrival. Guarded by the lock of the queue.
struct WaiterList {
  private var list = IntrusiveList<ConditionWaiters>()
  private let kind: ConditionWaiter.List

  init(_ kind: ConditionWaiter.List) { self.kind = kind }

  var first: WaiterPointer? { list.first }
  var isEmpty: Bool { list.isEmpty }

  mutating func append(_ waiter: WaiterPointer) {
    waiter.pointee.list = kind
    list.append(waiter)
  }

  mutating func prepend(_ waiter: WaiterPointer) {
    waiter.pointee.list = kind
    list.prepend(waiter)
  }

  /// Removes a waiter that is in this list.
  mutating func remove(_ waiter: WaiterPointer) {
    list.remove(waiter)
    waiter.pointee.list = .none
  }

  mutating func removeFirst() -> WaiterPointer? {
    guard let first else { return nil }
    remove(first)
    return first
  }

  /// The first waiter for `value`. O(n) in waiting threads.
  func first(wanting value: Int) -> WaiterPointer? {
    list.first { $0.pointee.wanted == value }
  }
}

private enum ConditionWaiters: ListLinkage {
  static func links(of waiter: WaiterPointer) -> ListLinks<WaiterPointer>.Pointer {
    withUnsafeMutablePointer(to: &waiter.pointee.links) { $0 }
  }
}
