// AdaptiveSpin — decides whether a thread that is about to sleep spins first, for up to 50 µs.
//
// A sleep and a wake-up take a few microseconds if both threads share a processor, but tens of
// microseconds if each thread has its own processor and one of them has become idle. Two threads
// that answer each other faster than that should spin. The last waits decide: a wait begins with a
// spin if the last one was short, and each spin that found nothing doubles the number of waits that
// skip it. So threads that share a processor, where nothing can arrive while one of them spins,
// hardly ever spin.
//
// Touching    one thread at a time.

import CSignalbox

package struct AdaptiveSpin: Sendable {
  /// In nanoseconds: about the time to fall asleep and be woken on an idle processor.
  package static let length: UInt64 = 50_000
  /// The maximum number of waits that skip the spin.
  private static let longestPause: UInt32 = 1_024

  private var lastWaitWasShort = false
  /// How many waits skip the spin after the next spin that finds nothing.
  private var pause: UInt32 = 1
  /// How many of the next waits skip the spin.
  private var left: UInt32 = 0

  package init() {}

  /// Call this when a wait begins.
  ///
  /// - Returns: whether the thread should spin first.
  package mutating func mayPay() -> Bool {
    guard lastWaitWasShort else { return false }
    if left == 0 { return true }
    left -= 1
    return false
  }

  /// Call this after a spin. The argument says whether anything arrived during the spin.
  package mutating func hasSpun(findingSomething: Bool) {
    if findingSomething {
      pause = 1
    } else {
      left = pause
      pause = min(2 * pause, AdaptiveSpin.longestPause)
    }
  }

  /// Call this after a wait, whether the thread spun or slept.
  package mutating func hasWaited(_ nanoseconds: UInt64) {
    lastWaitWasShort = nanoseconds < 2 * AdaptiveSpin.length
  }

  /// Spins until something has arrived, or the uptime clock shows `end`.
  ///
  /// - Parameters:
  ///   - hasCome: a check that costs next to nothing.
  ///   - isReady: a check that costs a system call; made less often.
  /// - Returns: whether something has arrived.
  package static func run(
    until end: UInt64, _ hasCome: () -> Bool, orNowAndThen isReady: () -> Bool
  ) -> Bool {
    while true {
      for _ in 0..<looks {
        if hasCome() { return true }
        csb_spin_hint()
      }
      // The sleep that follows makes the second check anyway.
      if Clock.uptime.now >= end { return false }
      if isReady() { return true }
    }
  }

  /// About ten microseconds.
  private static let looks = 600
}
