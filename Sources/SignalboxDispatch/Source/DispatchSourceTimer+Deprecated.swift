// DispatchSourceTimer+Deprecated — the names that these functions had before Swift 4.

extension DispatchSourceTimer {
  /// Sets when the timer is due, once.
  @available(swift, deprecated: 4, renamed: "schedule(deadline:leeway:)")
  public func scheduleOneshot(
    deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(deadline: deadline, leeway: leeway)
  }

  /// Sets when the timer is due by the wall clock, once.
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:leeway:)")
  public func scheduleOneshot(
    wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(wallDeadline: wallDeadline, leeway: leeway)
  }

  /// Sets when the timer is due, and how often after that.
  @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: DispatchTimeInterval,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(deadline: deadline, repeating: interval, leeway: leeway)
  }

  /// Sets when the timer is due, and how many seconds apart after that.
  @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(deadline: deadline, repeating: interval, leeway: leeway)
  }

  /// Sets when the timer is due by the wall clock, and how often after that.
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: DispatchTimeInterval,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
  }

  /// Sets when the timer is due by the wall clock, and how many seconds apart after that.
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: Double,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
  }
}
