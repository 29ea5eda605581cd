// ValueQueue — which threads wait for which value of a condition lock, and which is on the way.
//
//             wakeNext(value)            arrived
//   waiting ------------------> on the way ----> holds the lock: the value is as
//      |   ^                        |            wanted, or it waits again, in front
//      |   +------------------------+
//      +-- gaveUp                   +-- gaveUp: passes the turn on
//
// A thread that releases the lock wakes one thread that waits for the current value. The next
// waiter for the same value is woken when the woken thread releases the lock, if the value has not
// changed.
//
// Touching    everything: under the lock of the condition's waiters.
// Invariants  I1  a thread waits for the value of a free lock ⇒ a waiter for that value is on the
//                 way, or a thread that has released the lock is about to check for waiters.
//             I2  a thread on the way acquires the lock, and checks for waiters when it releases
//                 the lock; or it passes its turn on.
// Rejected    waking all waiters to let them check the value: a herd of which one continues. A
//             waiter that reads the value before it acquires the lock, and joins the queue without
//             the lock: it saves the waiter one acquisition, and costs each unlock a sequentially
//             consistent load.

struct ValueQueue {
  private var waiting = WaiterList(.waiting)
  /// The waiter that was woken last and has not arrived yet.
  private var onTheWay: WaiterPointer?

  var isAwaited: Bool { !waiting.isEmpty }

  var isEmpty: Bool { waiting.isEmpty && onTheWay == nil }

  /// Adds a waiter; at the front if it has waited before.
  mutating func add(_ waiter: WaiterPointer, again: Bool) {
    guard again else { return waiting.append(waiter) }
    waiter.getReady()
    waiting.prepend(waiter)
  }

  /// Wakes the thread that has waited longest for `value`, unless a waiter for that value is on
  /// the way.
  mutating func wakeNext(_ value: Int) -> Wake? {
    if let onTheWay, onTheWay.pointee.wanted == value { return nil }
    guard let waiter = waiting.first(wanting: value) else { return nil }
    waiting.remove(waiter)
    // A worker of low priority may take long to arrive: the next one is woken too.
    if !waiter.pointee.isLow { onTheWay = waiter }
    return waiter.wake()
  }

  /// Removes a waiter whose time limit has passed.
  ///
  /// - Returns: whether it is on the way. It must then arrive, or give up on the way.
  mutating func gaveUp(_ waiter: WaiterPointer) -> Bool {
    guard waiter.pointee.list == .waiting else { return true }
    waiting.remove(waiter)
    return false
  }

  /// Records that a waiter that was on the way holds the lock or has given up.
  mutating func arrived(_ waiter: WaiterPointer) {
    if onTheWay == waiter { onTheWay = nil }
  }
}
