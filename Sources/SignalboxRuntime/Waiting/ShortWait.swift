// ShortWait — the first moments of a worker's wait for a lock.
//
// A lock is held for microseconds, as a rule, by a thread that runs. To call
// another worker for so short a while costs more than it brings, and when the lock
// is left there is one worker too many. So the pool is told only if the wait lasts.

import CSignalbox

enum ShortWait {
  /// In nanoseconds: some hundred times what it takes to wake a thread, and short
  /// beside what a program that is late would notice.
  private static let length: UInt64 = 1_000_000

  /// Sleeps while the word at `address` holds `expected`, for a moment.
  ///
  /// - Returns: whether the wait is over; if not, it is to go on as a long one.
  static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline
  ) -> Bool {
    guard Worker.ofThisThread != nil, !ThreadRefusal.isOpen else { return false }
    // A deadline that is nearer is kept by the long wait.
    if !deadline.isNever, deadline.clock.now + length >= deadline.nanoseconds { return false }
    let end = Deadline(.uptime, Clock.uptime.now + length)
    while FutexSleeper.sleep(while: address, is: expected, until: end) == .woken {
      // Or else a signal handler ran: the moment goes on, or signals that come often
      // would keep the wait from ever being a long one.
      if csb_look_at_word(address) != expected { return true }
    }
    return false
  }
}
