// DispatchContinuousTime — a point on the clock that goes on while the machine is
// suspended.
//
// *Beyond Apple's API.* Apple's C interface has that clock, its Swift interface has not.

import SignalboxRuntime

/// A point in time relative to the machine's start, counting the time for which it was
/// suspended (CLOCK_BOOTTIME). No step of the wall clock moves it.
///
/// ```swift
/// // In an hour, even if the lid is closed for most of it.
/// timer.schedule(continuousDeadline: .now() + .seconds(3600))
/// ```
///
/// A timer does not wake a suspended machine: what came due meanwhile is told once it
/// runs again.
///
/// *Beyond Apple's API.*
public struct DispatchContinuousTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since the machine's start; all bits set for the distant future.
  public let rawValue: UInt64

  /// The present time.
  public static func now() -> DispatchContinuousTime {
    DispatchContinuousTime(rawValue: Clock.continuous.now)
  }

  /// A time that never comes.
  public static let distantFuture = DispatchContinuousTime(rawValue: UInt64.max)

  public static func < (a: DispatchContinuousTime, b: DispatchContinuousTime) -> Bool {
    a.rawValue < b.rawValue
  }

  /// The time that lies `interval` after `time`; what lies beyond the range is
  /// ``distantFuture``, what lies before the machine's start that start.
  public static func + (
    time: DispatchContinuousTime, interval: DispatchTimeInterval
  ) -> DispatchContinuousTime {
    time.moved(by: interval.saturatedNanoseconds)
  }

  /// The time that lies so many seconds after `time`.
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
  /// Sets when the timer is due by the clock that goes on while the machine is suspended,
  /// and how often after that. Otherwise as `schedule(deadline:repeating:leeway:)`.
  ///
  /// *Beyond Apple's API.*
  public func schedule(
    continuousDeadline: DispatchContinuousTime,
    repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let interval = TimerSource.interval(interval)
    face._withUnsafeGuaranteedRef {
      $0.schedule(continuousDeadline.deadline, interval, leeway)
    }
  }
}
