// DispatchTime — a point on the clock that stops while the machine is suspended.

package import SignalboxRuntime

/// A point in time relative to boot (CLOCK_MONOTONIC), with nanosecond precision. Steps of the
/// wall clock do not move it.
///
/// ```swift
/// let soon: DispatchTime = .now() + .milliseconds(100)
/// let later: DispatchTime = .now() + 1.5
/// ```
///
/// Arithmetic saturates: a result beyond the range is ``distantFuture``, and a result before
/// boot is the first nanosecond after boot.
///
/// Source: Apple's documentation of `DispatchTime`; the encoding is that of
/// the toolchain's `dispatch_time_t`.
public struct DispatchTime: Comparable, Sendable {
  /// The encoded time: nanoseconds of uptime; 0 for now, all bits set for the distant future.
  public let rawValue: dispatch_time_t

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The largest uptime that the encoding holds.
  private static let largest: UInt64 = 1 << 62 - 1

  /// The current time.
  public static func now() -> DispatchTime { DispatchTime(rawValue: Clock.uptime.now) }

  /// A time in the distant future, which is never reached.
  public static var distantFuture: DispatchTime { Self(rawValue: UInt64.max) }

  /// The point `uptimeNanoseconds` after boot.
  public init(uptimeNanoseconds: UInt64) { rawValue = uptimeNanoseconds }

  /// Nanoseconds since boot, without the time during which the machine was suspended.
  public var uptimeNanoseconds: UInt64 { rawValue }

  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue < b.rawValue }

  public static func == (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue == b.rawValue }

  func moved(by nanoseconds: Int64) -> DispatchTime {
    if rawValue == UInt64.max { return self }
    let start = rawValue == 0 ? Clock.uptime.now : rawValue
    if nanoseconds < 0 {
      let distance = nanoseconds.magnitude
      return DispatchTime(rawValue: start > distance ? start - distance : 1)
    }
    let (sum, overflow) = start.addingReportingOverflow(UInt64(nanoseconds))
    return overflow || sum > DispatchTime.largest ? .distantFuture : DispatchTime(rawValue: sum)
  }

  package var deadline: Deadline {
    rawValue == UInt64.max ? .never : Deadline(.uptime, rawValue)
  }
}

/// The time `interval` after `time`. The result saturates.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  time.moved(by: interval.saturatedNanoseconds)
}

/// The time `interval` before `time`. The result saturates.
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  time.moved(by: negated(interval))
}

/// The time `seconds` seconds after `time`. The result saturates.
public func + (time: DispatchTime, seconds: Double) -> DispatchTime {
  time.moved(by: saturatedNanoseconds(seconds))
}

/// The time `seconds` seconds before `time`. The result saturates.
public func - (time: DispatchTime, seconds: Double) -> DispatchTime {
  time.moved(by: saturatedNanoseconds(-seconds))
}

/// The negated interval. For `.never`, it is the longest distance into the past.
func negated(_ interval: DispatchTimeInterval) -> Int64 {
  let nanoseconds = interval.saturatedNanoseconds
  return nanoseconds == Int64.min ? Int64.max : -nanoseconds
}
