// ThreadRefusal — the pool continues without a thread that the system refused, and tries
// again.
//
// The existing workers run what is pending. But if all of them wait, no worker takes it, and
// a later submission to a queue whose invitation is already on its way calls none. So a
// thread that goes to sleep while a refusal is open wakes several times a second and tries
// again. Only such threads do, so an idle process stays quiet.
//
// Touching    `open`: any thread, atomically.

import CSignalbox
import Synchronization

enum ThreadRefusal {
  static let open = Atomic<Bool>(false)
  static let said = Atomic<Bool>(false)

  /// The pause between two attempts, in nanoseconds. A refused attempt costs a few tens of
  /// microseconds.
  private static let pause: UInt64 = 50_000_000

  /// Whether the system refused a thread and no attempt has succeeded since.
  static var isOpen: Bool {
    // order: relaxed; may be out of date, the next wait reads it again.
    open.load(ordering: .relaxed)
  }

  /// Records that the system refused a thread with this errno while the pool has
  /// `workers` workers. Warns the first time.
  static func note(_ error: Int32, workers: Int) {
    open.store(true, ordering: .relaxed)  // order: relaxed; see `isOpen`.
    // order: relaxed; it only matters that one thread warns.
    if said.exchange(true, ordering: .relaxed) { return }
    warn(
      "the system refused a thread (pthread_create failed with errno \(error)): the pool goes on "
        + "with \(workers) and tries again. Raise the limit on threads (ulimit -u, pids.max) or on "
        + "memory.")
  }

  /// Sleeps like `FutexSleeper.sleep`, and meanwhile tries to start the refused thread.
  /// Once that has succeeded, a sleep without a deadline returns `.woken` without a
  /// reason, and its caller sleeps again as usual. Until then it searches for a deadlock
  /// from `record`, if one is given: at once, and then after more and more attempts.
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
    open.store(false, ordering: .relaxed)  // order: relaxed; see `isOpen`.
    if Engine.existing?.callForRefusedWork() == false {
      open.store(true, ordering: .relaxed)  // order: relaxed; see `isOpen`.
    }
  }

  /// The end of a sleep on descriptors while a refusal is open, on the uptime clock.
  static func nextAttempt(before deadline: UInt64) -> UInt64 {
    min(deadline, Clock.uptime.now + pause)
  }
}
