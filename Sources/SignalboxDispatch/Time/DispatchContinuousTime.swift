// DispatchContinuousTime — a point on the clock that continues while the machine is suspended.
//
// *Beyond Apple's API.* Apple's C interface has that clock; its Swift interface does not.

import SignalboxRuntime

/// A point in time relative to boot that includes the time during which the machine was
/// suspended (CLOCK_BOOTTIME). Steps of the wall clock do not move it.
///
/// ```swift
/// // In an hour, even if the lid is closed for most of it.
/// timer.schedule(continuousDeadline: .now() + .seconds(3600))
/// ```
///
/// A timer does not wake a suspended machine. A timer that becomes due during that time fires
/// once the machine runs again.
///
/// *Beyond Apple's API.*
public struct DispatchContinuousTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since boot; all bits set for the distant future.
  public let rawValue: UInt64

  /// Returns the current time.
  public static func now() -> DispatchContinuousTime {
    DispatchContinuousTime(rawValue: Clock.continuous.now)
  }

  /// A time in the distant future, which is never reached.
  public static var distantFuture: DispatchContinuousTime { Self(rawValue: UInt64.max) }

  public static func < (a: DispatchContinuousTime, b: DispatchContinuousTime) -> Bool {
    a.rawValue < b.rawValue
  }

  /// The time `interval` after `time`. A result beyond the range is ``distantFuture``; a result
  /// before boot is the boot time.
  public static func + (
    time: DispatchContinuousTime, interval: DispatchTimeInterval
  ) -> DispatchContinuousTime {
    time.moved(by: interval.saturatedNanoseconds)
  }

  /// The time `seconds` seconds after `time`.
  public static func + (time: DispatchContinuousTime, seconds: Double) -> DispatchContinuousTime {
    time.moved(by: saturatedNanoseconds(seconds))
  }

  private func moved(by nanoseconds: Int64) -> DispatchContinuousTime {
    if self == .distantFuture || nanoseconds == Int64.max { return .distantFuture }
    if nanoseconds < 0 {
      let distance = nanoseconds.magnitude
      return DispatchContinuousTime(rawValue: rawValue > distance ? rawValue - distance : 0)
    }
    return DispatchContinuousTime(rawValue: rawValue.saturatingAdd(UInt64(nanoseconds)))
  }

  var deadline: Deadline {
    self == .distantFuture ? .never : Deadline(.continuous, rawValue)
  }
}

extension DispatchSourceTimer {
  /// Sets when the timer is due and how often it repeats, by the clock that continues while the
  /// machine is suspended. Otherwise it works like `schedule(deadline:repeating:leeway:)`.
  ///
  /// *Beyond Apple's API.*
  public func schedule(
    continuousDeadline: DispatchContinuousTime,
    repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let interval = TimerSource.interval(interval)
    sourceObject._withUnsafeGuaranteedRef {
      $0.schedule(continuousDeadline.deadline, interval, leeway)
    }
  }
}
