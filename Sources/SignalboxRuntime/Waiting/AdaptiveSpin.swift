// AdaptiveSpin — some microseconds in which a thread that is about to sleep waits awake.
//
// To sleep and be woken takes some microseconds where both threads share a processor, but
// tens of them where each has its own and one of those has gone idle. Two threads that answer
// each other sooner than that had better stay awake. Whether they do is seen from the waits
// that were: a wait begins with a spin if the last one was short, and each time that
// nothing came twice as many are left out before the next try. So threads that share a
// processor, where nothing can come as long as one spins, hardly ever do.
//
// Touching    one thread's at a time.

import CSignalbox

package struct AdaptiveSpin: Sendable {
  /// In nanoseconds: about what it takes to fall asleep and be woken on an idle processor.
  package static let length: UInt64 = 50_000
  /// As many waits are left out, at most.
  private static let longestPause: UInt32 = 1_024

  private var lastWaitWasShort = false
  /// How many waits are left out after the next time that nothing came.
  private var pause: UInt32 = 1
  /// How many are still to be left out.
  private var left: UInt32 = 0

  package init() {}

  /// A wait begins.
  ///
  /// - Returns: whether the thread should stay awake in the beginning.
  package mutating func mayPay() -> Bool {
    guard lastWaitWasShort else { return false }
    if left == 0 { return true }
    left -= 1
    return false
  }

  /// Whether something came while the thread spun.
  package mutating func hasSpun(findingSomething: Bool) {
    if findingSomething {
      pause = 1
    } else {
      left = pause
      pause = min(2 * pause, AdaptiveSpin.longestPause)
    }
  }

  /// A wait is over, awake or asleep.
  package mutating func hasWaited(_ nanoseconds: UInt64) {
    lastWaitWasShort = nanoseconds < 2 * AdaptiveSpin.length
  }

  /// Stays awake until something has come, which costs next to nothing to ask for, or the
  /// uptime clock shows `end`.
  ///
  /// - Parameter isReady: whether something has come that costs a system call to ask for.
  /// - Returns: whether something has.
  package static func run(
    until end: UInt64, _ hasCome: () -> Bool, orNowAndThen isReady: () -> Bool
  ) -> Bool {
    while true {
      for _ in 0..<looks {
        if hasCome() { return true }
        csb_spin_hint()
      }
      // The sleep that follows looks anyway.
      if Clock.uptime.now >= end { return false }
      if isReady() { return true }
    }
  }

  /// Some ten microseconds.
  private static let looks = 600
}
