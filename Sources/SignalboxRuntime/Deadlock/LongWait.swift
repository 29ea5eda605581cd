// LongWait — a sleep without a deadline that looks for a deadlock if it lasts.
//
// Most waits are short, and pay only for setting a kernel timer. A wait that outlasts a
// short grace looks for a deadlock, then sleeps on. The thread that closes a cycle also
// waits, and so finds the cycle after its own grace. A few cycles are closed by something
// else: an item of a group that is submitted behind a waiting thread, or a barrier that an
// owner reaches later. For those a wait that lasts looks again after longer and longer
// times, a dozen times a day.
//
// Touching    `grace`: any thread.

import CSignalbox
package import Synchronization

package enum LongWait {
  /// How long a wait lasts before it looks for a deadlock, in nanoseconds: longer than
  /// nearly all waits that end, and short compared with the tenth of a second within
  /// which a deadlock must be reported.
  package static let usualGrace: UInt64 = 20_000_000
  /// The factor by which the sleep grows after each look.
  private static let growth: UInt64 = 5
  /// The shortest second sleep, in nanoseconds, however short the grace is.
  private static let shortest: UInt64 = 1_000_000

  /// The grace in use. Tests set it so that every wait looks.
  package static let grace = Atomic<UInt64>(usualGrace)

  /// Sleeps while the word at `address` holds `expected`. The thread has published its
  /// record.
  static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, _ record: WaitRecord, isOwned: Bool
  ) -> WaitOutcome {
    // order: relaxed; the setting publishes no other memory.
    var patience = grace.load(ordering: .relaxed)
    var next = deadline(in: patience)
    while true {
      switch FutexSleeper.sleep(while: address, is: expected, until: next) {
      case .woken:
        // If the word is unchanged, a signal handler ran. Keep the deadline then, or
        // frequent signals would prevent the look forever.
        if csb_look_at_word(address) != expected { return .woken }
      case .timedOut:
        let isDone = !isOwned || search(from: record)
        StuckWatch.look()
        patience = max(patience, shortest)
        if isDone { patience = min(patience, .max / growth) * growth }
        next = deadline(in: patience)
      }
    }
  }

  private static func deadline(in patience: UInt64) -> Deadline {
    let (time, isPast) = Clock.uptime.now.addingReportingOverflow(patience)
    return isPast ? .never : Deadline(.uptime, time)
  }

  /// Searches for a deadlock from `record`.
  ///
  /// - Returns: whether the search was complete. If not, try again soon.
  @inline(never)
  static func search(from record: WaitRecord) -> Bool {
    let isLow = Worker.ofThisThread?.isLow ?? ProcessPriority.isLoweredHere
    guard isLow else {
      return DeadlockSearch.tellOfCycle(from: record)
    }
    // A search takes locks of other threads. They must not wait for a thread of low
    // priority, whether it is a worker or not.
    Engine.current.pool.submitShared(SearchItem.make(record), at: .standard)
    return true
  }
}
