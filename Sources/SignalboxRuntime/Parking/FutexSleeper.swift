// FutexSleeper — a bare sleep on a word of memory, without record or probe.
//
// Sources     futex(2).

import CSignalbox
public import Synchronization

/// Only these use it: `Parking` with `ShortWait`, `LongWait` and `ThreadRefusal`, the engine's own
/// lock, the workers, the starter, and the recorder's ticker.
package enum FutexSleeper {
  /// Wakes up to `count` threads that sleep in `sleep`.
  package static func wake(_ address: UnsafeRawPointer, count: Int32 = 1) {
    csb_futex_wake(address, count)
  }

  package static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline
  ) -> WaitOutcome {
    // The kernel sets a timer even for a deadline that has passed, and the thread's timer
    // slack delays that timer: a wait until `.now()` took 64 µs. This check takes 0.1 µs.
    if deadline.hasPassed {
      return csb_look_at_word(address) == expected ? .timedOut : .woken
    }
    let error = csb_futex_wait(
      address, expected, deadline.nanoseconds, deadline.clock == .wall ? 1 : 0)
    switch error {
    case 0, EAGAIN, EINTR: return .woken
    case ETIMEDOUT: return .timedOut
    default:
      // EINVAL and EFAULT would mean a bad address or an impossible deadline; ENOSYS and
      // EPERM a sandbox without futexes, in which nothing can block.
      internalBug("futex wait failed with errno \(error)")
    }
  }
}

/// How a sleep ended.
@frozen
package enum WaitOutcome: Sendable {
  /// The word changed, or may have changed: look again.
  case woken
  case timedOut
}

/// The address of an atomic word inside an object that cannot move.
///
/// SAFETY: an `Atomic` is never copied or moved while it is borrowed from a class
/// property or from memory that a pointer names. So its address stays the same as long as
/// that storage lives. `Atomic` itself relies on that.
@inlinable @inline(__always)
package func wordAddress(_ word: borrowing Atomic<UInt32>) -> UnsafeRawPointer {
  withUnsafePointer(to: word) { UnsafeRawPointer($0) }
}

@inlinable @inline(__always)
package func wordAddress(_ word: borrowing Relaxed<UInt32>) -> UnsafeRawPointer {
  wordAddress(word.word)
}

@inlinable @inline(__always)
package func wordAddress(_ word: borrowing SingleWriter<UInt32>) -> UnsafeRawPointer {
  wordAddress(word.word)
}
