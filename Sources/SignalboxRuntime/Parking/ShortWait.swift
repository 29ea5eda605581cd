// ShortWait — the first moments of a worker's wait for a lock.
//
// A lock is usually held for microseconds, by a running thread. Waking another worker for so
// short a time costs more than it gains, and leaves one worker too many when the lock is
// released. So the pool is informed only if the wait turns out to be long.

import CSignalbox

enum ShortWait {
  /// In nanoseconds: a few hundred times as long as waking a thread takes, and too short for
  /// anyone to notice the delay.
  private static let length: UInt64 = 1_000_000

  /// Sleeps for a moment while the word at `address` holds `expected`.
  ///
  /// - Returns: whether the wait is over. If not, it continues as a long wait.
  static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline
  ) -> Bool {
    guard Worker.ofThisThread != nil, !ThreadRefusal.isOpen else { return false }
    // If the deadline comes sooner, the long wait observes it.
    if !deadline.isNever, deadline.clock.now + length >= deadline.nanoseconds { return false }
    let end = Deadline(.uptime, Clock.uptime.now + length)
    while FutexSleeper.sleep(while: address, is: expected, until: end) == .woken {
      // If the word is unchanged, a signal handler ran. Go on with the same end, or
      // frequent signals would keep the wait short forever.
      if csb_look_at_word(address) != expected { return true }
    }
    return false
  }
}
