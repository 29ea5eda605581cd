// PollerRole — who polls: nobody, somebody, or one who will be back.
//
// To call another thread costs more than most handlers take. So a poller that has found
// something calls nobody: it leaves the role vacant, runs what it found, and takes the
// role up again when it has run out of work. Meanwhile a timer of the kernel's, the
// *guard*, is set, on which a *deputy* sleeps: it wakes only if nobody has taken the role
// in time, and takes it itself.
//
// While handlers are short, see `HandlerPace`, whoever delivers *keeps* the role: others
// that run out of work leave it alone, and find larger shares of a batch by their next look
// at the lines than by polling on their own, an event at a time.
//
// Setting the guard costs as much as some handlers (in a virtual machine it is an exit to
// the host). So while events follow each other closely it is left set, and moved on only
// when it is about to go off; before a sleep that may be long it is taken off.
//
// States      role: none → called (on its way, or polling) → none; called → vacant → called;
//             called → kept by a worker → called, by that worker or the deputy; kept →
//             vacant, when that worker waits.
//             deputy: none or one, asleep until the guard goes off.
// Touching    the role: `take`, `giveUp` by any thread, atomically; all else under the
//             driver's lock.
// Invariants  I1  vacant or kept ⇒ the guard is set, and there is a deputy or whoever left
//                 the role is about to call one.
//             I2  two pollers at a time would do no harm but to take turns; a guard that
//                 goes off in vain neither.
// Rejected    calling the next poller before running anything: two wakes for each event. A
//             deputy that looks every 100 µs: ten thousand wakes a second beside a
//             conversation that one thread could have held alone. A role that is always
//             vacant meanwhile: with a hundred busy sockets two workers polled by turns, 1.4
//             events each time, and fought for the kernel's lock of the set (8.2 µs a
//             round trip in place of 5).

import Synchronization

struct PollerRole: ~Copyable {
  private let role = Atomic<UInt32>(Role.none)

  private enum Role {
    static let none: UInt32 = 0
    static let called: UInt32 = 1
    static let vacant: UInt32 = 2
    /// And, above, the number of the worker that keeps it.
    static let kept: UInt32 = 3

    static func kept(by worker: UInt32) -> UInt32 { worker &<< 2 | kept }
  }

  /// Whether `worker` may take it. A hint.
  borrowing func isOpen(to worker: UInt32) -> Bool {
    let now = role.load(ordering: .relaxed)  // order: relaxed; a hint.
    return now == Role.vacant || now == Role.kept(by: worker)
  }

  /// Takes the role if it is vacant, or was kept by this worker.
  ///
  /// - Returns: whether the caller is the poller now.
  borrowing func take(as worker: UInt32) -> Bool {
    let now = role.load(ordering: .relaxed)  // order: relaxed; the exchange decides.
    guard now == Role.vacant || now == Role.kept(by: worker) else { return false }
    return exchange(now, by: Role.called)
  }

  /// Takes the role from whoever has not come back to it.
  ///
  /// - Returns: whether the caller is the poller now.
  borrowing func takeOver() -> Bool {
    let now = role.load(ordering: .relaxed)  // order: relaxed; the exchange decides.
    guard now == Role.vacant || now & 3 == Role.kept else { return false }
    return exchange(now, by: Role.called)
  }

  /// The worker that keeps it, if it does, will not be back soon: anybody may take it.
  borrowing func giveUp(_ worker: UInt32) {
    _ = exchange(Role.kept(by: worker), by: Role.vacant)
  }

  private borrowing func exchange(_ old: UInt32, by new: UInt32) -> Bool {
    role.compareExchange(
      expected: old, desired: new,
      ordering: .relaxed  // order: relaxed; the role guards nothing.
    ).exchanged
  }

  // MARK: Under the driver's lock

  /// Whether the caller must call a poller.
  borrowing func begin() -> Bool {
    guard isNone else { return false }
    role.store(Role.called, ordering: .relaxed)  // order: relaxed; under the lock.
    return true
  }

  var isNone: Bool {
    role.load(ordering: .relaxed) == Role.none  // order: relaxed; under the lock.
  }

  /// Nothing is registered any more, or nobody could be called.
  borrowing func end() {
    role.store(Role.none, ordering: .relaxed)  // order: relaxed; under the lock.
  }

  borrowing func vacate() {
    role.store(Role.vacant, ordering: .relaxed)  // order: relaxed; under the lock.
  }

  borrowing func keep(for worker: UInt32) {
    role.store(Role.kept(by: worker), ordering: .relaxed)  // order: relaxed; under the lock.
  }
}

/// The timer on which the deputy sleeps.
///
/// Touching: everything under the driver's lock.
struct PollerGuard {
  /// When it goes off; 0: it is off.
  private var time: UInt64 = 0
  /// Whether there is a deputy, or one is called.
  var hasDeputy = false
  /// How long the poller slept last, in nanoseconds.
  private var lastSleep = UInt64.max

  /// Whether it slept so little that the next event is expected soon.
  private var isBusy: Bool { lastSleep < PollerGuard.shortSleep }
  /// Whether it slept so little that it need not have.
  var isTalking: Bool { lastSleep < PollerGuard.noSleep }

  /// How long the role may be vacant, in nanoseconds: at most and at least.
  private static let patience: (most: UInt64, least: UInt64) = (600_000, 300_000)

  /// A sleep shorter than this, in nanoseconds, belongs to a conversation.
  private static let shortSleep: UInt64 = 200_000
  /// One shorter than this costs more than to look on.
  private static let noSleep: UInt64 = 30_000
  /// How long the poller waits before it looks once more in place of falling asleep, in
  /// hints to the processor: some microseconds, so that it finds more than one event.
  static let spins = 200

  mutating func hasSlept(_ nanoseconds: UInt64) { lastSleep = nanoseconds }

  /// The role is vacant: it must go off in time.
  mutating func set(_ kernel: any DriverKernel, _ now: UInt64) {
    if time >= now + PollerGuard.patience.least { return }
    time = now + PollerGuard.patience.most
    kernel.setGuard(to: time)
  }

  /// The poller is about to sleep, perhaps for long.
  mutating func takeOff(_ kernel: any DriverKernel) {
    if time == 0 || isBusy { return }
    time = 0
    kernel.setGuard(to: 0)
  }

  mutating func hasGoneOff() { time = 0 }

  /// Wakes the deputy, for it to leave.
  mutating func dismissDeputy(_ kernel: any DriverKernel) {
    if hasDeputy { kernel.setGuard(to: 1) }
  }
}
