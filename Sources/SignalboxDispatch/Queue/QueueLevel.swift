// QueueLevel — how urgently a queue is to be served, where that differs from what
// it was made with.
//
// An item that is more urgent than its queue sends an invitation of its own, in
// its own line. So only two things are to be remembered:
//
// lowered     the queue has no quality of service of its own, and the first item
//             that woke it is less urgent than usual: so is the invitation. Who
//             submits something usual takes that back by one more invitation.
// raised      an urgent invitation came while the queue was held, or someone
//             urgent waits for it: a drainer of low kernel priority hands over at
//             its item's end.
//
// Touching    both words: any thread, atomically.
// Ordering    QL1  who lowers: its store of `lowered`, then its look at the list's
//                  tail; who submits: its exchange of the tail, then its load of
//                  `lowered`; all sequentially consistent: either sees the other.
//             QL2  who raises: its change of `raised`, then its look at the state;
//                  a drainer that leaves: its change of the state, then its load
//                  of `raised`. The state's change is acquiring and releasing
//                  only, for its own sake: where that lets both miss each other
//                  the queue is served at its usual level once.
// Invariants  I1  both are about order and priority only: no item is lost by a
//                 stale value. One that is stale costs an invitation for nothing.

import SignalboxRuntime
import Synchronization

struct QueueLevel: ~Copyable {
  private let lowered = Atomic<UInt8>(0)
  private let raised = Atomic<UInt8>(0)

  // MARK: Lowered

  /// How urgent the invitation under way is, if less than usual.
  @inline(__always)
  borrowing func loweredTo() -> Urgency {
    // order: sequentially consistent, QL1
    Urgency(rawValue: lowered.load(ordering: .sequentiallyConsistent))
  }

  borrowing func lower(to urgency: Urgency) {
    // order: sequentially consistent, QL1
    lowered.store(urgency.rawValue, ordering: .sequentiallyConsistent)
  }

  borrowing func forgetLowered() {
    // order: relaxed; the invitation that follows is all that matters.
    lowered.store(0, ordering: .relaxed)
  }

  // MARK: Raised

  borrowing func raise(to urgency: Urgency) {
    // order: sequentially consistent, QL2
    raised.max(urgency.rawValue, ordering: .sequentiallyConsistent)
  }

  /// Whether someone urgent waits for the queue.
  @inline(__always)
  borrowing func isRaised() -> Bool {
    raised.load(ordering: .relaxed) != 0  // order: relaxed; a hint.
  }

  /// What the next invitation is to be raised to.
  borrowing func takeRaised() -> Urgency {
    // order: sequentially consistent, QL2
    guard raised.load(ordering: .sequentiallyConsistent) != 0 else { return .unspecified }
    // order: relaxed; what is taken is only a number.
    return Urgency(rawValue: raised.exchange(0, ordering: .relaxed))
  }
}
