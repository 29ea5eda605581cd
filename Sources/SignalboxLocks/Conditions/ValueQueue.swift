// ValueQueue — who waits for which value of a condition lock, and who is on the way.
//
//             wakeNext(value)            arrived
//   waiting ------------------> on the way ----> holds the lock: the value is as
//      |   ^                        |            wanted, or it waits again, in front
//      |   +------------------------+
//      +-- gaveUp                   +-- gaveUp: passes the turn on
//
// Whoever leaves the lock wakes one thread, whose value has come true; the next one that
// waits for the same value is woken when that one leaves, if the value is still there.
//
// Touching    all: under the lock of the condition's waiters.
// Invariants  I1  a thread waits for the value that a free lock has ⇒ one that wants the
//                 same is on the way, or somebody who has left the lock is about to look.
//             I2  whoever is on the way takes the lock and looks when leaving it, or
//                 passes the turn on.
// Rejected    waking all, to let them look: a herd, of which one gets on.
//             A waiter that looks at the value before it takes the lock, and joins the
//             queue without it: it spares the lock a visit, and costs each unlock a
//             sequentially consistent look.

struct ValueQueue {
  private var waiting = WaiterList(.waiting)
  /// The one that was woken last and has not come yet.
  private var onTheWay: WaiterPointer?

  var isAwaited: Bool { !waiting.isEmpty }

  var isEmpty: Bool { waiting.isEmpty && onTheWay == nil }

  /// Adds a waiter: in front, if it has waited already.
  mutating func add(_ waiter: WaiterPointer, again: Bool) {
    guard again else { return waiting.append(waiter) }
    waiter.getReady()
    waiting.prepend(waiter)
  }

  /// Sends on its way whoever has waited longest for `value`, unless one is on the way
  /// that wants the same.
  mutating func wakeNext(_ value: Int) -> Wake? {
    if let onTheWay, onTheWay.pointee.wanted == value { return nil }
    guard let waiter = waiting.first(wanting: value) else { return nil }
    waiting.remove(waiter)
    // Nobody waits until a worker of low priority has come: the next one is woken, too.
    if !waiter.pointee.isLow { onTheWay = waiter }
    return waiter.wake()
  }

  /// Takes out a waiter whose time is over.
  ///
  /// - Returns: whether it is on the way: it then must come, or give up on the way.
  mutating func gaveUp(_ waiter: WaiterPointer) -> Bool {
    guard waiter.pointee.place == .waiting else { return true }
    waiting.remove(waiter)
    return false
  }

  /// A waiter that was on the way holds the lock, or has given up.
  mutating func arrived(_ waiter: WaiterPointer) {
    if onTheWay == waiter { onTheWay = nil }
  }
}
