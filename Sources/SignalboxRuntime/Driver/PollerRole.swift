// PollerRole — which worker polls: none, one, or one that will return to polling.
//
// Waking another thread costs more than most handlers take. So a poller that has found
// something wakes no other worker. It leaves the role vacant, runs what it found, and takes
// the role again when it has run out of work. In case this takes long, it sets a kernel timer, the
// *guard*, on which a *backup poller* sleeps. The backup poller wakes only if no worker has taken
// the role in time, and then takes it itself.
//
// While handlers are short (see `HandlerPace`), the worker that delivers events *keeps* the
// role. Other workers that run out of work do not take it. From the run queue they get larger
// shares of a batch than by polling themselves, which would yield one event at a time.
//
// Setting the guard costs as much as some handlers (in a virtual machine it is an exit to
// the host). So while events follow each other closely, the guard stays set, and it is moved
// only when it is about to expire. Before a sleep that may be long, it is turned off.
//
// States      role: none → called (on its way, or polling) → none; called → vacant → called;
//             called → kept by a worker → called, by that worker or the backup poller; kept →
//             vacant, when that worker waits; called → refused, if the system refuses a thread →
//             called, by the next worker without work or the next attempt to start a thread.
//             backup poller: none or one, asleep until the guard expires.
// Touching    the role: `take`, `takeOver`, `giveUp` by any thread, atomically; all else under
//             the driver's lock.
// Invariants  I1  vacant or kept ⇒ the guard is set, and there is a backup poller or the worker
//                 that left the role is about to call one.
//             I2  two concurrent pollers are harmless; they only take turns. A guard that
//                 expires for nothing is harmless too.
// Rejected    calling the next poller before running anything: two wakes for each event. A
//             backup poller that looks every 100 µs: ten thousand wakes a second during a
//             conversation that one thread can hold alone. A role that is always left
//             vacant: with a hundred busy sockets, two workers took turns at polling, found 1.4
//             events each time, and contended for the kernel's lock on the set (8.2 µs a round trip
//             instead of 5).

struct PollerRole: ~Copyable {
  /// Written by any thread. The role guards nothing, and the compare-and-swap decides who gets it.
  private let role = Relaxed<UInt32>(Role.none)

  private enum Role {
    static let none: UInt32 = 0
    static let called: UInt32 = 1
    static let vacant: UInt32 = 2
    /// The number of the worker that keeps the role is in the bits above.
    static let kept: UInt32 = 3
    static let refused: UInt32 = 4

    static func kept(by worker: UInt32) -> UInt32 { worker &<< 2 | kept }
  }

  /// Whether `worker` may take the role; may be out of date.
  borrowing func isOpen(to worker: UInt32) -> Bool {
    let now = role.load()
    return now == Role.vacant || now == Role.refused || now == Role.kept(by: worker)
  }

  /// Takes the role if it is vacant or refused, or if this worker keeps it.
  ///
  /// - Returns: whether the caller is the poller now.
  borrowing func take(as worker: UInt32) -> Bool {
    let now = role.load()
    guard now == Role.vacant || now == Role.refused || now == Role.kept(by: worker) else {
      return false
    }
    return exchange(now, by: Role.called)
  }

  /// Takes the role from a worker that has not returned to it in time, or if it is
  /// vacant.
  ///
  /// - Returns: whether the caller is the poller now.
  borrowing func takeOver() -> Bool {
    let now = role.load()
    guard now == Role.vacant || now & 3 == Role.kept else { return false }
    return exchange(now, by: Role.called)
  }

  /// If this worker keeps the role, lets any worker take it, because this worker will not return
  /// soon.
  borrowing func giveUp(_ worker: UInt32) {
    _ = exchange(Role.kept(by: worker), by: Role.vacant)
  }

  private borrowing func exchange(_ old: UInt32, by new: UInt32) -> Bool {
    role.compareExchange(expected: old, desired: new).exchanged
  }

  // MARK: Under the driver's lock

  /// Whether the caller must call a poller.
  borrowing func begin() -> Bool {
    exchange(Role.none, by: Role.called) || exchange(Role.refused, by: Role.called)
  }

  /// Whether no worker polls, and none will come back for the role.
  var isNobodys: Bool {
    let now = role.load()
    return now == Role.none || now == Role.refused
  }

  /// Nothing is registered any more.
  borrowing func end() { role.store(Role.none) }

  /// The system refused a thread for the poller that was called.
  borrowing func refuse() { role.store(Role.refused) }

  borrowing func vacate() { role.store(Role.vacant) }

  borrowing func keep(for worker: UInt32) { role.store(Role.kept(by: worker)) }
}
