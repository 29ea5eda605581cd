// LockState+Spinning — taking a lock by looking at it, within limits.

import CSignalbox
import SignalboxRuntime

/// How long a spin lock is looked at, by the clock: a count of looks would last ten times
/// longer on one processor than on another.
private enum SpinLimit {
  /// In nanoseconds. What a spin lock is for takes less; whoever holds it for longer has
  /// been taken off its processor, or should use another lock.
  static var awake: UInt64 { 20_000 }
  /// In nanoseconds, from the beginning: the holder may need this thread's processor.
  static var yielding: UInt64 { 1_000_000 }
  /// Looks between two readings of the clock.
  static var looks: Int { 20 }
}

extension LockState {
  /// Takes the lock for the calling thread: looks at it, then gives way between looks,
  /// then sleeps.
  @inline(never)
  borrowing func takeSpinning(_ thread: UInt32, on resource: @autoclosure () -> WaitResource) {
    // Told where it is to sleep.
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
      WaitingDoor.giveWay()
      if take(thread) { return }
    } while Clock.uptime.now < begin + SpinLimit.yielding
    _ = takeSlow(thread, on: resource())
  }
}
