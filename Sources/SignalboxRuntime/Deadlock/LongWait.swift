// LongWait — a sleep without a deadline, with a look around if it lasts.
//
// Most waits are short, and pay nothing but the arming of a kernel timer. One
// that outlasts a short grace looks for a deadlock, then sleeps on; whoever
// closes a cycle waits itself, and so finds it after its own grace. A few cycles
// are closed by something else: an item of a group that is submitted behind a
// waiting thread, a barrier that an owner comes to later. For those a wait that
// lasts looks again, each time after a longer while: a dozen times in a day.
//
// Touching    `grace`: any thread. `other`: set once.

import CSignalbox
package import Synchronization

package enum LongWait {
  /// How long a wait lasts before it looks around, in nanoseconds: longer than
  /// nearly all that end, and short beside the tenth of a second in which a
  /// deadlock is to be reported.
  package static let usualGrace: UInt64 = 20_000_000
  /// How many times as long the next sleep is, after each look.
  private static let growth: UInt64 = 5
  /// The second sleep at least, in nanoseconds, however short the grace.
  private static let shortest: UInt64 = 1_000_000

  /// The grace in use. Tests set it, to have every wait look.
  package static let grace = Atomic<UInt64>(usualGrace)

  /// Sleeps while the word at `address` holds `expected`; the record of this
  /// thread is published.
  static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, _ record: WaitRecord, isOwned: Bool
  ) -> WaitOutcome {
    // order: relaxed; a setting.
    var patience = grace.load(ordering: .relaxed)
    var next = deadline(in: patience)
    while true {
      switch FutexSleeper.sleep(while: address, is: expected, until: next) {
      case .woken:
        // Or else a signal handler ran: the wait goes on, or signals that come
        // often would keep it from ever looking.
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

  /// Whether all has been looked at; if not, it is to be tried again soon.
  @inline(never)
  static func search(from record: WaitRecord) -> Bool {
    let isLow = Worker.ofThisThread?.isLow ?? ProcessPriority.isLoweredHere
    guard isLow else {
      return DeadlockSearch.tellOfCycle(from: record)
    }
    // A search takes locks of others, who must not wait for a thread of low
    // priority, be it a worker or not.
    Engine.current.pool.submitShared(SearchItem.make(record), at: .standard)
    return true
  }
}
