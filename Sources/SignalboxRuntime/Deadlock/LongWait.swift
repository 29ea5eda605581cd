// LongWait — a sleep without a deadline that starts a diagnosis if it takes long.
//
// Most waits are short, and pay only for setting a kernel timer. A wait that outlasts a
// short delay calls `SignalboxDiagnostics` to look for a deadlock, then sleeps on. The
// thread that closes a cycle also waits, and so finds the cycle after its own delay. A few cycles
// are closed by something else: an item of a group that is submitted behind a waiting thread, or a
// barrier that an owner reaches later. To find those cycles, a long wait searches again after
// longer and longer times, about ten times in its first day.
//
// Touching    `delay`, `watchesPool`: any thread, atomically.

import CSignalbox
package import Synchronization

package enum LongWait {
  /// How long a wait lasts before it searches for a deadlock, in nanoseconds. Nearly all waits that
  /// end are shorter, and a deadlock must be reported within a tenth of a second.
  package static let usualDelay: UInt64 = 20_000_000
  /// The factor by which the sleep grows after each search.
  private static let growth: UInt64 = 5
  /// The minimum length of the second sleep, in nanoseconds, however short the delay is.
  private static let shortest: UInt64 = 1_000_000

  /// The delay in use. Tests set it so that every wait searches.
  package static let delay = Atomic<UInt64>(usualDelay)

  /// Whether waits without an owner also call for a diagnosis, so that a pool in which every worker
  /// waits is reported.
  package static let watchesPool = Atomic<Bool>(false)

  static var isForAll: Bool {
    watchesPool.load(ordering: .relaxed)  // order: relaxed; affects later waits only.
  }

  /// Sleeps while the word at `address` holds `expected`. The thread has published its
  /// record.
  static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, _ record: WaitRecord, isOwned: Bool
  ) -> WaitOutcome {
    // order: relaxed; the setting publishes no other memory.
    var delay = LongWait.delay.load(ordering: .relaxed)
    var next = deadline(in: delay)
    while true {
      switch FutexSleeper.sleep(while: address, is: expected, until: next) {
      case .woken:
        // If the word is unchanged, a signal handler ran. Keep the deadline then, or
        // frequent signals would prevent the search forever.
        if csb_look_at_word(address) != expected { return .woken }
      case .timedOut:
        let isDone = !isOwned || search(from: record)
        if isForAll && Worker.ofThisThread != nil { csb_diagnose_pool() }
        delay = max(delay, shortest)
        if isDone { delay = min(delay, .max / growth) * growth }
        next = deadline(in: delay)
      }
    }
  }

  private static func deadline(in delay: UInt64) -> Deadline {
    let (time, isPast) = Clock.uptime.now.addingReportingOverflow(delay)
    return isPast ? .never : Deadline(.uptime, time)
  }

  /// Searches for a deadlock from `record`, the calling thread's own (`diagnoseWait`, in
  /// `SearchItem`).
  ///
  /// - Returns: whether the search was complete. If not, try again soon.
  @inline(never)
  static func search(from record: WaitRecord) -> Bool {
    // SAFETY: the list of all records holds a reference until this thread ends.
    csb_diagnose_wait(Unmanaged.passUnretained(record).toOpaque()) != 0
  }
}
