// QueueLevel — how urgently a queue must be drained now.
//
// The level is that of the queue's quality of service, with two exceptions:
//
// lowered     the queue has no quality of service of its own, and the item that woke it is
//             less urgent than usual. The queue is then drained at the item's level.
// urgent      some pending items and waiters are more urgent than the queue: their count, and
//             the urgency of the most urgent one. They count from before they enter the list
//             until they are removed.
//
// A worker whose tier differs from the level's tier hands the queue over.
//
// Touching    both words: any thread, atomically.
// Ordering    QL1  a thread that lowers stores `lowered`, then loads the list's tail; a
//                  submitting thread exchanges the tail, then loads `lowered`. All four are
//                  sequentially consistent, so at least one thread sees the other.
//             QL2  a thread that submits an urgent item changes `urgent`, then loads the state;
//                  an owner that leaves changes the state, then loads `urgent`. The change of the
//                  state is only acquiring and releasing, to keep it cheap. If both threads
//                  therefore miss each other, the queue is drained at its usual level once.
// Invariants  I1  both words affect only order and priority: a stale value loses no item.
//             I2  the count in `urgent` is the number of items with the flag `urgent` that are in
//                 the list or about to enter it.

import SignalboxRuntime
import Synchronization

struct QueueLevel: ~Copyable {
  private let lowered = Atomic<UInt8>(0)
  /// The urgency of the most urgent of the *urgent* drain tasks under way, or 0. The queue's own
  /// drain task does not count.
  private let urgentUnderWay = Atomic<UInt8>(0)
  /// A count, with the urgency in the lowest eight bits.
  private let urgent = Atomic<UInt32>(0)

  private static let one: UInt32 = 1 << 8
  /// From here on there is no room for another one.
  private static let full: UInt32 = 0 &- one
  private static let urgencyMask: UInt32 = 0xFF

  /// The level of a queue whose own urgency is `baseLevel`.
  @inline(__always)
  borrowing func current(_ baseLevel: Urgency) -> Urgency { max(mostUrgent(), floor(baseLevel)) }

  /// The level without the more urgent items.
  @inline(__always)
  borrowing func floor(_ baseLevel: Urgency) -> Urgency {
    // order: sequentially consistent, QL1
    Urgency(rawValue: lowered.load(ordering: .sequentiallyConsistent)).or(baseLevel)
  }

  // MARK: Lowered

  @inline(__always)
  borrowing func isLowered() -> Bool {
    // order: sequentially consistent, QL1
    lowered.load(ordering: .sequentiallyConsistent) != 0
  }

  borrowing func lower(to urgency: Urgency) {
    // order: sequentially consistent, QL1
    lowered.store(urgency.rawValue, ordering: .sequentiallyConsistent)
  }

  borrowing func forgetLowered() {
    // order: relaxed; only the drain task that follows matters.
    lowered.store(0, ordering: .relaxed)
  }

  /// Only in a forked child, whose list was emptied and which has no other thread.
  borrowing func startAnew() {
    lowered.store(0, ordering: .relaxed)  // order: relaxed; the child has only one thread.
    urgentUnderWay.store(0, ordering: .relaxed)  // order: relaxed; the child has only one thread.
    urgent.store(0, ordering: .relaxed)  // order: relaxed; the child has only one thread.
  }

  // MARK: Urgent

  private borrowing func mostUrgent() -> Urgency {
    // order: sequentially consistent, QL2
    let now = urgent.load(ordering: .sequentiallyConsistent)
    return Urgency(rawValue: UInt8(truncatingIfNeeded: now))
  }

  /// Counts an urgent item that is about to be appended, and that gets the flag `urgent`.
  ///
  /// - Returns: false if the word can count no more. Then the item gets no flag: it waits behind 16
  ///   million others, at their level.
  borrowing func addUrgent(_ urgency: Urgency) -> Bool {
    var isCounted = true
    change { old in
      let most = max(old & QueueLevel.urgencyMask, UInt32(urgency.rawValue))
      isCounted = old < QueueLevel.full
      return (old & ~QueueLevel.urgencyMask) &+ (isCounted ? QueueLevel.one : 0) | most
    }
    return isCounted
  }

  /// Stops counting an item that was removed. After the last one, the queue falls back to its
  /// floor.
  borrowing func removeUrgent() {
    change { old in
      let left = old - QueueLevel.one
      return left < QueueLevel.one ? 0 : left
    }
  }

  private borrowing func change(_ decide: (UInt32) -> UInt32) {
    var old = urgent.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while true {
      let (exchanged, current) = urgent.weakCompareExchange(
        expected: old, desired: decide(old),
        successOrdering: .sequentiallyConsistent,  // order: sequentially consistent, QL2
        failureOrdering: .relaxed)
      if exchanged { return }
      old = current
    }
  }

  // MARK: Urgent drain tasks

  /// Whether to send an urgent drain task. Not if one of this urgency or above is under way.
  borrowing func shouldSchedule(at urgency: Urgency) -> Bool {
    // order: relaxed; the drain task itself carries the ordering.
    urgentUnderWay.max(urgency.rawValue, ordering: .relaxed).oldValue < urgency.rawValue
  }

  /// Records that the urgent drain task has arrived.
  borrowing func hasArrived() {
    // order: relaxed; the drain task itself carries the ordering.
    urgentUnderWay.store(0, ordering: .relaxed)
  }
}
