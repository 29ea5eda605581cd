// DispatchSourceTimer+Deprecated — the names of these functions before Swift 4.

extension DispatchSourceTimer {
  /// Sets when the timer is due, once.
  @available(swift, deprecated: 4, renamed: "schedule(deadline:leeway:)")
  public func scheduleOneshot(
    deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(deadline: deadline, leeway: leeway)
  }

  /// Sets when the timer is due on the wall clock, once.
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:leeway:)")
  public func scheduleOneshot(
    wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(wallDeadline: wallDeadline, leeway: leeway)
  }

  /// Sets when the timer is due and how often it repeats.
  @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: DispatchTimeInterval,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(deadline: deadline, repeating: interval, leeway: leeway)
  }

  /// Sets when the timer is due and after how many seconds it repeats.
  @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(deadline: deadline, repeating: interval, leeway: leeway)
  }

  /// Sets when the timer is due on the wall clock and how often it repeats.
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: DispatchTimeInterval,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
  }

  /// Sets when the timer is due on the wall clock and after how many seconds it repeats.
  @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: Double,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
  }
}
