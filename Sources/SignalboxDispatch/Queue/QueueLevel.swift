// QueueLevel — how urgently a queue is to be served now.
//
// Its level is what it was made with, unless one of two things moves it:
//
// lowered     the queue has no quality of service of its own, and the item that
//             woke it is less urgent than usual. Then so is the queue.
// urgent      so many pending items and waiters are more urgent than that, and
//             the most urgent of them is so urgent. They count from before they
//             stand in the list until they are taken out.
//
// A worker whose tier is not that of the level hands the queue over.
//
// Touching    both words: any thread, atomically.
// Ordering    QL1  who lowers: its store of `lowered`, then its look at the list's
//                  tail; who submits: its exchange of the tail, then its load of
//                  `lowered`; all sequentially consistent: either sees the other.
//             QL2  who submits something urgent: its change of `urgent`, then its
//                  look at the state; an owner that leaves: its change of the
//                  state, then its load of `urgent`. The state's change is
//                  acquiring and releasing only, for its own sake: where that lets
//                  both miss each other the queue is served at its usual level
//                  once.
// Invariants  I1  both are about order and priority only: no item is lost by a
//                 stale value.
//             I2  the count in `urgent` is that of the items in the list, and on
//                 their way into it, that have the flag `urgent`.

import SignalboxRuntime
import Synchronization

struct QueueLevel: ~Copyable {
  private let lowered = Atomic<UInt8>(0)
  /// An urgent invitation of this urgency is on its way.
  private let invited = Atomic<UInt8>(0)
  /// A count, and in the lowest eight bits the urgency.
  private let urgent = Atomic<UInt32>(0)

  private static let one: UInt32 = 1 << 8
  private static let urgencyMask: UInt32 = 0xFF

  /// The level of a queue that is as urgent as `rest` by itself.
  @inline(__always)
  borrowing func current(_ rest: Urgency) -> Urgency { max(mostUrgent(), floor(rest)) }

  /// The level without those that are more urgent.
  @inline(__always)
  borrowing func floor(_ rest: Urgency) -> Urgency {
    // order: sequentially consistent, QL1
    Urgency(rawValue: lowered.load(ordering: .sequentiallyConsistent)).or(rest)
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
    // order: relaxed; the invitation that follows is all that matters.
    lowered.store(0, ordering: .relaxed)
  }

  /// Only where no other thread is left: in a forked child whose list was emptied.
  borrowing func startAnew() {
    lowered.store(0, ordering: .relaxed)  // order: relaxed; no other thread is there.
    invited.store(0, ordering: .relaxed)  // order: relaxed; as above.
    urgent.store(0, ordering: .relaxed)  // order: relaxed; as above.
  }

  // MARK: Urgent

  private borrowing func mostUrgent() -> Urgency {
    // order: sequentially consistent, QL2
    let now = urgent.load(ordering: .sequentiallyConsistent)
    return Urgency(rawValue: UInt8(truncatingIfNeeded: now))
  }

  /// One urgent item more is about to be appended.
  borrowing func addUrgent(_ urgency: Urgency) {
    change { old in
      let most = max(old & QueueLevel.urgencyMask, UInt32(urgency.rawValue))
      return (old & ~QueueLevel.urgencyMask) + QueueLevel.one | most
    }
  }

  /// One was taken out. With the last one the queue falls back.
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

  // MARK: Urgent invitations

  /// Whether an urgent invitation is to be sent: none as urgent is on its way.
  borrowing func invites(at urgency: Urgency) -> Bool {
    // order: relaxed; the invitation itself is what orders.
    invited.max(urgency.rawValue, ordering: .relaxed).oldValue < urgency.rawValue
  }

  /// It has arrived.
  borrowing func hasArrived() {
    invited.store(0, ordering: .relaxed)  // order: relaxed; as above.
  }
}
