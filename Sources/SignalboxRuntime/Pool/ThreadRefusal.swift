// ThreadRefusal — the pool goes on without a thread that the system refused, and
// tries again.
//
// What is pending stays for the workers there are. Where all of them wait, nobody
// would come to take it, and a later submission to a queue that is enlisted already
// calls nobody. So a thread that goes to sleep while a refusal is open wakes a few
// times a second and tries once more: only then, so an idle process stays quiet.
//
// Touching    `open`: any thread, atomically.

import CSignalbox
import Synchronization

enum ThreadRefusal {
  static let open = Atomic<Bool>(false)
  static let said = Atomic<Bool>(false)

  /// Between two attempts, in nanoseconds. A refused attempt costs some tens of
  /// microseconds.
  private static let pause: UInt64 = 50_000_000

  /// Whether a thread was refused and none has been started for it since.
  static var isOpen: Bool {
    open.load(ordering: .relaxed)  // order: relaxed; a hint, taken up by the next wait.
  }

  /// The system refused a thread with this errno, and the pool has `workers`. Says
  /// so the first time.
  static func note(_ error: Int32, workers: Int) {
    open.store(true, ordering: .relaxed)  // order: relaxed; as in `isOpen`.
    // order: relaxed; only that it is said once matters.
    if said.exchange(true, ordering: .relaxed) { return }
    complain(
      "the system refused a thread (pthread_create failed with errno \(error)): the pool goes on "
        + "with \(workers) and tries again. Raise the limit on threads (ulimit -u, pids.max) or on "
        + "memory.")
  }

  /// As `FutexSleeper.sleep`, and tries to start what was refused meanwhile. Once that
  /// has been started, a sleep without a deadline ends without a reason: its caller
  /// comes back to sleep as usual. Until then it looks for a deadlock from `record`, if
  /// one is given, at once and then after ever more attempts.
  @inline(never)
  static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline,
    _ record: WaitRecord?
  ) -> WaitOutcome {
    var attempts = 0
    var nextSearch = 1
    while isOpen {
      let next = Clock.uptime.now + pause
      if deadline.clock == .uptime && deadline.nanoseconds <= next { break }
      let outcome = FutexSleeper.sleep(
        while: address, is: expected, until: Deadline(.uptime, next))
      if outcome == .woken { return .woken }
      if deadline.hasPassed { return .timedOut }
      attempts += 1
      if deadline.isNever, let record, attempts == nextSearch {
        nextSearch = LongWait.search(from: record) ? nextSearch * 5 : nextSearch + 1
      }
      tryAgain()
    }
    if deadline.isNever { return .woken }
    return FutexSleeper.sleep(while: address, is: expected, until: deadline)
  }

  /// One more attempt to start what was refused.
  static func tryAgain() {
    open.store(false, ordering: .relaxed)  // order: relaxed; as in `isOpen`.
    if Engine.existing?.callForRefusedWork() == false {
      open.store(true, ordering: .relaxed)  // order: relaxed; as in `isOpen`.
    }
  }

  /// Until when to sleep among descriptors while a refusal is open, in uptime.
  static func nextAttempt(before deadline: UInt64) -> UInt64 {
    min(deadline, Clock.uptime.now + pause)
  }
}
