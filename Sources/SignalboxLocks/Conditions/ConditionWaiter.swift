// ConditionWaiter — a thread's place in the queue of a condition, on its stack.
//
// States      word: asleep → woken; back to asleep before it joins a queue again.
// Touching    `word`: written under the lock of the queue, read by the kernel and by
//             the waiter. All else: under that lock.
// Invariants  I1  a waiter's function returns only after a look under the queue's lock
//                 that finds it in no list, and not about to be woken: from then on
//                 nobody else knows its address but as a key to the kernel.
// Rejected    one word on which all waiters of a condition sleep: whoever comes after a
//             signal can eat it, and a broadcast wakes all of them to queue up for the
//             lock. Requeuing in the kernel mends the second, not the first.

import SignalboxRuntime
import Synchronization

struct ConditionWaiter: ~Copyable {
  fileprivate let word = Atomic<UInt32>(Word.asleep)
  /// The value that it waits for, in a condition lock.
  let wanted: Int
  /// Which list it stands in.
  fileprivate(set) var place = Place.nowhere
  fileprivate var links = ListLinks<WaiterPointer>()

  enum Place { case nowhere, waiting, signalled }

  fileprivate enum Word {
    static let asleep: UInt32 = 0
    static let woken: UInt32 = 1
  }

  /// Whether its thread has a lower priority than others: nobody is to sleep on until
  /// that one has come.
  let isLow: Bool

  init(wanting value: Int, isLow: Bool) {
    wanted = value
    self.isLow = isLow
  }
}

typealias WaiterPointer = UnsafeMutablePointer<ConditionWaiter>

/// A word to be woken at, once the queue's lock is left. The waiter may be gone by then.
// SAFETY: an address that is a key to the kernel and never followed.
struct Wake: @unchecked Sendable {
  fileprivate let address: UnsafeRawPointer
  /// Whether the next one is to be woken, too, without waiting for this one.
  let isOfLowThread: Bool

  func perform() { WaitingDoor.wake(address) }
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

  /// Sleeps until somebody wakes this waiter.
  ///
  /// - Returns: whether somebody did, before the deadline.
  func sleep(until deadline: Deadline, for reason: WaitReason, on resource: WaitResource) -> Bool {
    // order: relaxed; the queue's lock orders all else.
    while pointee.word.load(ordering: .relaxed) == ConditionWaiter.Word.asleep {
      let outcome = WaitingDoor.wait(
        while: wordAddress(pointee.word), is: ConditionWaiter.Word.asleep, until: deadline,
        for: reason, on: resource)
      if outcome == .timedOut { return false }
    }
    return true
  }

  /// Has it sleep once more. Under the queue's lock, when nobody is about to wake it.
  func getReady() {
    // order: relaxed; the queue's lock orders all else.
    pointee.word.store(ConditionWaiter.Word.asleep, ordering: .relaxed)
  }

  /// Ends its sleep, or keeps it from beginning.
  func wake() -> Wake {
    let address = wordAddress(pointee.word)
    // order: relaxed; the queue's lock orders all else.
    pointee.word.store(ConditionWaiter.Word.woken, ordering: .relaxed)
    return Wake(address: address, isOfLowThread: pointee.isLow)
  }
}

/// Waiters in the order in which they came. Under the lock of the queue it belongs to.
struct WaiterList {
  private var list = IntrusiveList<ConditionWaiters>()
  private let place: ConditionWaiter.Place

  init(_ place: ConditionWaiter.Place) { self.place = place }

  var first: WaiterPointer? { list.first }
  var isEmpty: Bool { list.isEmpty }

  mutating func append(_ waiter: WaiterPointer) {
    waiter.pointee.place = place
    list.append(waiter)
  }

  mutating func prepend(_ waiter: WaiterPointer) {
    waiter.pointee.place = place
    list.prepend(waiter)
  }

  /// Takes out a waiter that stands in this list.
  mutating func remove(_ waiter: WaiterPointer) {
    list.remove(waiter)
    waiter.pointee.place = .nowhere
  }

  mutating func removeFirst() -> WaiterPointer? {
    guard let first else { return nil }
    remove(first)
    return first
  }

  /// The first that waits for `value`. O(n) in threads that wait.
  func first(wanting value: Int) -> WaiterPointer? {
    list.first { $0.pointee.wanted == value }
  }
}

private enum ConditionWaiters: ListLinkage {
  static func links(of waiter: WaiterPointer) -> ListLinks<WaiterPointer>.Pointer {
    withUnsafeMutablePointer(to: &waiter.pointee.links) { $0 }
  }
}
