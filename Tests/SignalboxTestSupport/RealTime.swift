// RealTime — every real-time limit that a test may use.
//
// No test passes or fails by an absolute time shorter than these. The environment variable
// SIGNALBOX_TEST_TIME_FACTOR scales all of them, for loaded machines and for ThreadSanitizer.

package import Glibc

package enum RealTime {
  /// The factor from the environment, or 1 if the variable is unset or not a number above 0.
  package static let factor: Double = {
    guard let text = getenv("SIGNALBOX_TEST_TIME_FACTOR"),
      let value = Double(String(cString: text)), value > 0, value.isFinite
    else { return 1 }
    return value
  }()

  /// How long a test waits before it concludes that something did not happen. A test that
  /// relies on this can miss a fault, but never reports a false one.
  package static let settling = Duration.milliseconds(20) * factor

  /// A delay for a timer or a timed wait.
  package static let delay = Duration.milliseconds(60) * factor

  /// A wait for an event that takes this long counts as stuck.
  package static let wedge = Duration.seconds(20) * factor

  /// The longest life of one test or one child program.
  package static let life = Duration.seconds(100) * factor
}

extension Duration {
  /// The whole nanoseconds of a non-negative duration.
  package var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  package static func * (duration: Duration, factor: Double) -> Duration {
    .nanoseconds(Int64(Double(duration.wholeNanoseconds) * factor))
  }
}

/// A point on `CLOCK_MONOTONIC`, read without the library under test.
package struct Uptime: Comparable, Sendable {
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static func now() -> Uptime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Uptime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  package static func < (left: Uptime, right: Uptime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (point: Uptime, duration: Duration) -> Uptime {
    Uptime(nanoseconds: point.nanoseconds + duration.wholeNanoseconds)
  }

  /// Returns the time that has passed since an earlier point.
  package func since(_ earlier: Uptime) -> Duration {
    .nanoseconds(Int64(nanoseconds) - Int64(earlier.nanoseconds))
  }

  package var timespecValue: timespec {
    timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}

/// Lets real time pass. Use it only before checking that something did not happen.
package func letRealTimePass(_ duration: Duration) {
  var end = (Uptime.now() + duration).timespecValue
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
}
