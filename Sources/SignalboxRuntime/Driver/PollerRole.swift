// PollerRole — who polls: nobody, somebody, or one who will be back.
//
// To call another thread costs more than most handlers take. So a poller that finds
// something soon after it fell asleep does not: it leaves the role vacant, runs what it
// found, and takes the role up again when it has run out of work. A *deputy* sees to it
// that the role is not vacant for long: every tick it looks, and takes it itself if it
// finds it vacant for the second time. A poller that has slept for long calls the next
// one before it runs anything: then no deputy need tick.
//
// States      role: none → called (on its way, or polling) → none; called → vacant → called.
//             deputy: none or one, which leaves when nothing was vacated for some ticks.
// Touching    any thread, atomically. `none` is left and entered under the driver's lock.
// Ordering    PR1  the poller makes the role vacant, then looks whether there is a deputy;
//                  a deputy that leaves says so, then looks at the role; all sequentially
//                  consistent: either the poller calls one, or the deputy stays.
// Invariants  I1  vacant ⇒ there is a deputy, or the poller is about to call one.
//             I2  two pollers at a time would do no harm but to take turns.
// Rejected    passing the role on each time: two wakes for each event of a conversation
//             that one thread could have held alone.

import Synchronization

struct PollerRole: ~Copyable {
  private let role = Atomic<UInt32>(Role.none)
  private let vacancies = Atomic<UInt32>(0)
  private let hasDeputy = Atomic<Bool>(false)

  private enum Role {
    static let none: UInt32 = 0
    static let called: UInt32 = 1
    static let vacant: UInt32 = 2
  }

  // MARK: Numbers

  /// A poller that has slept for less, in nanoseconds, expects to be back soon.
  static let shortSleep: UInt64 = 100_000
  /// Between two looks of the deputy, in nanoseconds.
  static let tick: UInt64 = 100_000
  /// Looks in a row for which nothing was vacated before the deputy leaves.
  private static let quietTicks = 10

  // MARK: None

  /// Under the driver's lock: whether the caller must call a poller.
  borrowing func begin() -> Bool {
    // order: relaxed; under the lock.
    guard role.load(ordering: .relaxed) == Role.none else { return false }
    role.store(Role.called, ordering: .relaxed)  // order: relaxed; under the lock.
    return true
  }

  /// Under the driver's lock: nothing is registered any more, or nobody could be called.
  borrowing func end() {
    role.store(Role.none, ordering: .relaxed)  // order: relaxed; under the lock.
  }

  // MARK: Vacant

  /// A hint.
  var isVacant: Bool {
    role.load(ordering: .relaxed) == Role.vacant  // order: relaxed; a hint.
  }

  /// The poller leaves the role for a while.
  ///
  /// - Returns: whether it must call a deputy.
  borrowing func vacate() -> Bool {
    vacancies.wrappingAdd(1, ordering: .relaxed)  // order: relaxed; compared only.
    // order: sequentially consistent, PR1
    role.store(Role.vacant, ordering: .sequentiallyConsistent)
    return claimDeputy()
  }

  private borrowing func claimDeputy() -> Bool {
    // order: sequentially consistent, PR1
    if hasDeputy.load(ordering: .sequentiallyConsistent) { return false }
    // order: sequentially consistent, PR1
    return !hasDeputy.exchange(true, ordering: .sequentiallyConsistent)
  }

  /// - Returns: whether the caller is the poller now.
  borrowing func take() -> Bool {
    guard isVacant else { return false }
    let (taken, _) = role.compareExchange(
      expected: Role.vacant, desired: Role.called,
      ordering: .relaxed)  // order: relaxed; the role guards nothing.
    return taken
  }

  // MARK: The deputy

  /// Runs until the role needs somebody, or nobody needs a deputy. `sleep` waits for a
  /// tick.
  ///
  /// - Returns: whether the caller is the poller now.
  borrowing func deputize(_ sleep: () -> Void) -> Bool {
    var quiet = 0
    var seen: (vacancies: UInt32, vacant: Bool) = (current, false)
    while true {
      sleep()
      let now = (vacancies: current, vacant: isVacant)
      if now.vacant && seen.vacant && now.vacancies == seen.vacancies && take() {
        // order: sequentially consistent, PR1
        hasDeputy.store(false, ordering: .sequentiallyConsistent)
        return true
      }
      quiet = now.vacancies == seen.vacancies && !now.vacant ? quiet + 1 : 0
      seen = now
      if quiet == PollerRole.quietTicks {
        if leave() { return false }
        quiet = 0
      }
    }
  }

  /// - Returns: false if it must stay.
  private borrowing func leave() -> Bool {
    // order: sequentially consistent, PR1
    hasDeputy.store(false, ordering: .sequentiallyConsistent)
    // order: sequentially consistent, PR1
    guard role.load(ordering: .sequentiallyConsistent) == Role.vacant else { return true }
    return !claimDeputy()
  }

  private var current: UInt32 {
    vacancies.load(ordering: .relaxed)  // order: relaxed; compared only.
  }

  /// No thread could be started for the deputy.
  borrowing func deputyFailed() {
    // order: sequentially consistent, PR1
    hasDeputy.store(false, ordering: .sequentiallyConsistent)
  }
}
