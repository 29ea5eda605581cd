// ThreadRefusal — the pool continues without a thread that the system refused, and tries
// again.
//
// The existing workers run what is pending. But if all of them wait, no worker takes the pending
// work. A later submission to a queue whose drain task is already on its way calls no worker
// either. So a thread that goes to sleep while a refusal is open wakes several times a second and
// tries again. Only such threads do, so an idle process stays quiet.

import CSignalbox

enum ThreadRefusal {
  /// Whether a refusal is open. Written by any thread that tries to start a thread; a wait that
  /// reads an old value reads it again later.
  static let open = Relaxed(false)
  /// Given at the first refusal.
  static let warning = OnceWarning()

  /// The pause between two attempts, in nanoseconds. A refused attempt costs a few tens of
  /// microseconds.
  private static let pause: UInt64 = 50_000_000

  /// Whether the system refused a thread and no attempt has succeeded since.
  static var isOpen: Bool { open.load() }

  /// Records that the system refused a thread with this errno while the pool has
  /// `workers` workers. Warns the first time.
  static func note(_ error: Int32, workers: Int) {
    open.store(true)
    warning.give(
      "the system refused a thread (pthread_create failed with errno \(error)): the pool continues "
        + "with \(workers) and tries again. \(advice(error))")
  }

  /// What to do about a refusal with this errno.
  private static func advice(_ error: Int32) -> String {
    switch error {
    // The C library uses `clone` if `clone3` is unknown, and only then.
    case EPERM, EACCES, ENOSYS:
      "A sandbox (seccomp) refuses the calls clone3 or clone: allow them, or make clone3 fail with "
        + "ENOSYS."
    default: "Raise the limit on threads (ulimit -u, pids.max) or on memory."
    }
  }

  /// Sleeps like `FutexSleeper.sleep`, and meanwhile tries to start the refused thread.
  /// Once that has succeeded, a sleep without a deadline returns `.woken` without a
  /// reason, and its caller sleeps again as usual. Until then, this searches for a deadlock
  /// from `record`, if one is given: before the first attempt, then ever more rarely.
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

  /// Tries once more to start the refused thread.
  static func tryAgain() {
    open.store(false)
    if Engine.existing?.callForRefusedWork() == false { open.store(true) }
  }

  /// When a sleep on descriptors must end while a refusal is open, on the uptime clock.
  static func nextAttempt(before deadline: UInt64) -> UInt64 {
    min(deadline, Clock.uptime.now + pause)
  }
}
