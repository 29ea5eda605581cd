// SignalQueue — who waits for a condition, who was signalled, and who is on the way.
//
//             signal             wakeNext            arrived
//   waiting ----------> signalled --------> on the way --------> holds the lock
//      |                    |
//      +----- gaveUp -------+----- gaveUp: was signalled --> takes the lock by itself
//
// At most one waiter is on the way: woken, and not at the lock yet. The next one is
// woken when that one leaves the lock. So a broadcast wakes as many threads as can go
// on: one after another, each when the lock is free. A worker of low priority may be
// long on the way, so nobody waits for its coming: the next one is woken with it.
//
// Touching    all: under the lock of the condition's waiters.
// Invariants  I1  somebody was signalled and not woken ⇒ a waiter is on the way, or a
//                 thread that holds the lock looks when it has left it.
//             I2  a signal takes the waiter that has waited longest; it is given to
//                 no other, whether the deadline of that one passes or not.

import SignalboxRuntime

struct SignalQueue {
  private var waiting = WaiterList(.waiting)
  private var signalled = WaiterList(.signalled)
  private var onTheWay: WaiterPointer?

  var isAwaited: Bool { !waiting.isEmpty }

  /// Whether a thread that leaves the lock has somebody to wake.
  var owesWake: Bool { onTheWay == nil && !signalled.isEmpty }

  var isEmpty: Bool { waiting.isEmpty && signalled.isEmpty && onTheWay == nil }

  mutating func add(_ waiter: WaiterPointer) { waiting.append(waiter) }

  mutating func signalFirst() {
    if let waiter = waiting.removeFirst() { signalled.append(waiter) }
  }

  mutating func signalAll() {
    while let waiter = waiting.removeFirst() { signalled.append(waiter) }
  }

  /// Sends the next one on its way, if it is time.
  mutating func wakeNext() -> Wake? {
    guard onTheWay == nil, let waiter = signalled.removeFirst() else { return nil }
    if !waiter.pointee.isLow { onTheWay = waiter }
    return waiter.wake()
  }

  /// Takes out a waiter whose time is over.
  ///
  /// - Returns: whether it was signalled before.
  mutating func gaveUp(_ waiter: WaiterPointer) -> Bool {
    switch waiter.pointee.place {
    case .nowhere: return true
    case .waiting:
      waiting.remove(waiter)
      return false
    case .signalled:
      signalled.remove(waiter)
      return true
    }
  }

  /// A waiter that has slept now holds the lock.
  mutating func arrived(_ waiter: WaiterPointer) {
    if onTheWay == waiter { onTheWay = nil }
  }
}
