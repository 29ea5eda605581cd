// SignalQueue — which threads wait for a condition, were signalled, or are on the way.
//
//             signal             wakeNext            arrived
//   waiting ----------> signalled --------> on the way --------> holds the lock
//      |                    |
//      +----- gaveUp -------+----- gaveUp: was signalled --> takes the lock by itself
//
// At most one waiter is *on the way*, which means that it was woken and has not yet acquired the
// lock. The next waiter is woken when that waiter releases the lock. So a broadcast wakes as many
// threads as can continue: one after another, each when the lock is free. A worker of low priority
// may be on the way for long. So no thread waits for its arrival: the next waiter is woken together
// with it.
//
// Touching    everything: under the lock of the condition's waiters.
// Invariants  I1  a thread was signalled and not woken ⇒ a waiter is on the way, or a thread that
//                 holds the lock checks for waiters when it has released it.
//             I2  a signal goes to the waiter that has waited longest, and to no other, even if
//                 that one's deadline passes.

import SignalboxRuntime

struct SignalQueue {
  private var waiting = WaiterList(.waiting)
  private var signalled = WaiterList(.signalled)
  private var onTheWay: WaiterPointer?

  var isAwaited: Bool { !waiting.isEmpty }

  /// Whether a thread that releases the lock must wake a waiter.
  var owesWake: Bool { onTheWay == nil && !signalled.isEmpty }

  var isEmpty: Bool { waiting.isEmpty && signalled.isEmpty && onTheWay == nil }

  mutating func add(_ waiter: WaiterPointer) { waiting.append(waiter) }

  mutating func signalFirst() {
    if let waiter = waiting.removeFirst() { signalled.append(waiter) }
  }

  mutating func signalAll() {
    while let waiter = waiting.removeFirst() { signalled.append(waiter) }
  }

  /// Wakes the next waiter, unless one is on the way.
  mutating func wakeNext() -> Wake? {
    guard onTheWay == nil, let waiter = signalled.removeFirst() else { return nil }
    if !waiter.pointee.isLow { onTheWay = waiter }
    return waiter.wake()
  }

  /// Removes a waiter whose time limit has passed.
  ///
  /// - Returns: whether it was signalled before.
  mutating func gaveUp(_ waiter: WaiterPointer) -> Bool {
    switch waiter.pointee.list {
    case .none: return true
    case .waiting:
      waiting.remove(waiter)
      return false
    case .signalled:
      signalled.remove(waiter)
      return true
    }
  }

  /// Records that a waiter that has slept holds the lock.
  mutating func arrived(_ waiter: WaiterPointer) {
    if onTheWay == waiter { onTheWay = nil }
  }
}
