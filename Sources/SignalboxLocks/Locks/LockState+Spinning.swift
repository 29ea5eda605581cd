// LockState+Spinning — how a spin lock is acquired: it polls for longer than other locks, then
// yields, then sleeps. The short spin of the other locks is in `LockState+Waiting`.

import CSignalbox
import SignalboxRuntime

/// How long a thread polls a spin lock, by the clock: a number of polls would last ten times
/// longer on one processor than on another.
private enum SpinLimit {
  /// In nanoseconds. The work under a spin lock takes less time than this. A holder that takes
  /// longer was preempted, or should use another lock.
  static var awake: UInt64 { 20_000 }
  /// In nanoseconds from the beginning. Until then the thread yields between polls, because the
  /// holder may need its processor.
  static var yielding: UInt64 { 1_000_000 }
  /// The number of polls between two readings of the clock.
  static var looks: Int { 20 }
}

extension LockState {
  /// Acquires the lock for the calling thread: polls it, then yields between polls, then sleeps.
  @inline(never)
  borrowing func takeSpinning(_ thread: UInt32, on resource: @autoclosure () -> WaitResource) {
    // `takeSlow` reports the self-deadlock.
    if owner == thread {
      _ = takeSlow(thread, on: resource())
      return
    }
    let begin = Clock.uptime.now
    if LockSpin.isWorthwhile {
      repeat {
        for _ in 0..<SpinLimit.looks {
          csb_spin_hint()
          if owner == 0 && take(thread) { return }
        }
      } while Clock.uptime.now < begin + SpinLimit.awake
    }
    repeat {
      Parking.yield()
      if take(thread) { return }
    } while Clock.uptime.now < begin + SpinLimit.yielding
    _ = takeSlow(thread, on: resource())
  }
}
