// DispatchWallTime — a point on the wall clock.

public import CSignalbox
import SignalboxRuntime

/// A point in time on the wall clock (CLOCK_REALTIME), with nanosecond precision. It moves with
/// every step of that clock.
///
/// Source: Apple's documentation of `DispatchWallTime`; the encoding is that
/// of the toolchain's `dispatch_time_t`.
public struct DispatchWallTime: Comparable, Sendable {
  /// The encoded time: nanoseconds since 1970, negated; all bits set for the distant future.
  public let rawValue: dispatch_time_t

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The time `nanoseconds` after 1970. A value that does not fit the encoding becomes the
  /// nearest one that does.
  init(nanoseconds: UInt64) {
    if nanoseconds > DispatchWallTime.largest {
      rawValue = UInt64.max
    } else {
      rawValue = 0 &- max(nanoseconds, DispatchWallTime.smallest)
    }
  }

  /// The largest distance from 1970 that the encoding holds.
  private static let largest: UInt64 = 1 << 62 - 1
  /// 0 would mean now, and 1 encodes the distant future.
  private static let smallest: UInt64 = 2

  /// The current time.
  public static func now() -> DispatchWallTime { DispatchWallTime(nanoseconds: Clock.wall.now) }

  /// A time in the distant future, which is never reached.
  public static var distantFuture: DispatchWallTime { Self(rawValue: UInt64.max) }

  /// The time in `timespec`, as seconds and nanoseconds since 1970.
  public init(timespec: timespec) {
    let seconds = Int64(timespec.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let sum = seconds.partialValue.addingReportingOverflow(Int64(timespec.tv_nsec))
    if seconds.overflow || sum.overflow {
      self = timespec.tv_sec > 0 ? .distantFuture : DispatchWallTime(nanoseconds: 0)
    } else {
      self.init(nanoseconds: UInt64(max(sum.partialValue, 0)))
    }
  }

  private var nanoseconds: UInt64 { 0 &- rawValue }

  public static func < (a: DispatchWallTime, b: DispatchWallTime) -> Bool {
    if a.rawValue == UInt64.max { return false }
    return b.rawValue == UInt64.max || a.nanoseconds < b.nanoseconds
  }

  public static func == (a: DispatchWallTime, b: DispatchWallTime) -> Bool {
    a.rawValue == b.rawValue
  }

  func moved(by distance: Int64) -> DispatchWallTime {
    if rawValue == UInt64.max { return self }
    if distance < 0 {
      let back = distance.magnitude
      return DispatchWallTime(nanoseconds: nanoseconds > back ? nanoseconds - back : 0)
    }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(distance))
    return overflow ? .distantFuture : DispatchWallTime(nanoseconds: sum)
  }

  var deadline: Deadline {
    rawValue == UInt64.max ? .never : Deadline(.wall, nanoseconds)
  }
}

/// The time `interval` after `time`. The result saturates.
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  time.moved(by: interval.saturatedNanoseconds)
}

/// The time `interval` before `time`. The result saturates.
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  time.moved(by: negated(interval))
}

/// The time `seconds` seconds after `time`. The result saturates.
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  time.moved(by: saturatedNanoseconds(seconds))
}

/// The time `seconds` seconds before `time`. The result saturates.
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  time.moved(by: saturatedNanoseconds(-seconds))
}
