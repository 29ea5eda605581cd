// DispatchSourceTimer — sources for times.

package import SignalboxRuntime

/// A source that fires at a given time, once or repeatedly. Its `data` is the number of times that
/// the timer was due since the last call of the handler.
///
/// Source: Apple's documentation of `DispatchSourceTimer`.
public protocol DispatchSourceTimer: DispatchSourceProtocol {
  @available(swift, deprecated: 4, renamed: "schedule(deadline:leeway:)")
  func scheduleOneshot(deadline: DispatchTime, leeway: DispatchTimeInterval)
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:leeway:)")
  func scheduleOneshot(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval)
  @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleRepeating(
    deadline: DispatchTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleRepeating(deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval)
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: Double, leeway: DispatchTimeInterval)
}

extension DispatchSource: DispatchSourceTimer {
  /// Options for a timer.
  ///
  /// Source: Apple's documentation of `DispatchSource.TimerFlags`.
  public struct TimerFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The leeway is used as given, however small. Here that holds for every timer.
    public static var strict: TimerFlags { Self(rawValue: 1) }
  }

  /// Creates a timer that does not fire until you call `schedule`.
  ///
  /// Creating, scheduling and cancelling a timer costs no system call, unless the timer is due
  /// before all others.
  ///
  /// Source: Apple's documentation of `makeTimerSource(flags:queue:)`.
  public class func makeTimerSource(
    flags: DispatchSource.TimerFlags = [], queue: DispatchQueue? = nil
  ) -> any DispatchSourceTimer {
    DispatchSource(TimerSource(mask: flags.rawValue, target: TargetReference(queue)))
  }

  /// Schedules the timer, and traps if the source is of another kind.
  func schedule(
    _ deadline: Deadline, _ interval: UInt64, _ leeway: DispatchTimeInterval
  ) {
    let isTimer = kept._withUnsafeGuaranteedRef { type(of: $0) == TimerSource.self }
    guard isTimer else { clientBug("schedule on the \(core.kindName), which is not a timer.") }
    schedule(deadline, interval, leeway: TimerSource.leeway(leeway))
  }

  /// Schedules the timer. The source must be a timer source.
  @inline(__always)
  package final func schedule(_ deadline: Deadline, _ interval: UInt64, leeway: UInt64) {
    let schedule = SourceTimer.Schedule(deadline: deadline, interval: interval, leeway: leeway)
    // SAFETY: the type was just compared.
    Unmanaged<TimerSource>.fromOpaque(kept.toOpaque())
      ._withUnsafeGuaranteedRef { $0.schedule(schedule) }
  }
}

extension DispatchSourceTimer {
  /// Sets when the timer is due and how often it repeats.
  ///
  /// You may call it at any time from any thread. Due times of the old schedule that have not
  /// been reported are dropped.
  ///
  /// A handler is never called early. It is late by the time that the machine needs, and by up to
  /// `leeway` if that lets timers share a wake-up, so give a generous leeway. From the second time
  /// on, at most half the interval counts as leeway.
  ///
  /// - Parameters:
  ///   - deadline: when it is due first.
  ///   - interval: the time between two calls; `.never` for a single call. Zero counts as a
  ///     millisecond; a negative interval traps.
  ///   - leeway: how much later it may be.
  @_specialize(where Self == DispatchSource)
  public func schedule(
    deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let interval = TimerSource.interval(interval)
    sourceObject._withUnsafeGuaranteedRef { $0.schedule(deadline.deadline, interval, leeway) }
  }

  /// Sets when the timer is due and after how many seconds it repeats; infinity for a single
  /// call.
  public func schedule(
    deadline: DispatchTime, repeating interval: Double,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let interval = TimerSource.interval(interval)
    sourceObject._withUnsafeGuaranteedRef { $0.schedule(deadline.deadline, interval, leeway) }
  }

  /// Sets when the timer is due on the wall clock, whose steps it follows, and how often it
  /// repeats.
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let interval = TimerSource.interval(interval)
    sourceObject._withUnsafeGuaranteedRef { $0.schedule(wallDeadline.deadline, interval, leeway) }
  }

  /// Sets when the timer is due on the wall clock and after how many seconds it repeats.
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: Double,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    let interval = TimerSource.interval(interval)
    sourceObject._withUnsafeGuaranteedRef { $0.schedule(wallDeadline.deadline, interval, leeway) }
  }
}

extension TimerSource {
  /// The interval in nanoseconds; 0 for a single call.
  static func interval(_ interval: DispatchTimeInterval) -> UInt64 {
    if case .never = interval { return 0 }
    return checked(interval.saturatedNanoseconds, "\(interval)")
  }

  fileprivate static func interval(_ seconds: Double) -> UInt64 {
    if seconds == .infinity { return 0 }
    if seconds.isNaN { return checked(-1, "nan") }
    return checked(saturatedNanoseconds(seconds), "\(seconds)")
  }

  private static func checked(
    _ nanoseconds: Int64, _ text: @autoclosure () -> String
  ) -> UInt64 {
    if nanoseconds < 0 {
      clientBug(
        "a timer was scheduled with the interval \(text()): it must not be negative; .never is for "
          + "a timer that does not repeat.")
    }
    if nanoseconds == Int64.max { return 0 }
    return nanoseconds == 0 ? 1_000_000 : UInt64(nanoseconds)
  }

  fileprivate static func leeway(_ leeway: DispatchTimeInterval) -> UInt64 {
    let nanoseconds = leeway.saturatedNanoseconds
    if nanoseconds < 0 {
      clientBug("a timer was scheduled with the leeway \(leeway): it must not be negative.")
    }
    return UInt64(nanoseconds)
  }
}
