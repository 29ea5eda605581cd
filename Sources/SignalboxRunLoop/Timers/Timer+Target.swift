// Timer+Target — timers with a target and an argument: the initializers that the toolchain
// lacks, with methods and closures in place of selectors and invocations.

public import FoundationEssentials

extension Timer {
  /// Creates a timer that calls a method of `target` with the timer. It does nothing until you
  /// add it to a loop.
  ///
  /// ```swift
  /// let timer = Timer(
  ///   timeInterval: 0.5, target: self, selector: Screen.blink, userInfo: cell, repeats: true)
  /// ```
  ///
  /// *Differences*: takes the method itself in place of its selector.
  ///
  /// - Parameters:
  ///   - interval: the seconds until the first fire date, and between two fire dates; 0 or
  ///     less means 0.0001. NaN traps.
  ///   - target: the object whose method is called. The timer retains it until it is invalidated.
  ///   - selector: the method.
  ///   - userInfo: the timer's ``userInfo``, for the method; retained as long as the target.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of `Timer.init(timeInterval:target:selector:userInfo:repeats:)`.
  public convenience init<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target,
    selector: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
  ) {
    self.init(after: interval, repeats: repeats, userInfo: userInfo) { selector(target)($0) }
  }

  /// Creates a timer that calls a method of `target`, first at a date. It does nothing until
  /// you add it to a loop.
  ///
  /// *Differences*: takes the method itself in place of its selector.
  ///
  /// - Parameters:
  ///   - date: the first fire date. A date that has passed is due at once, and the timer keeps
  ///     its grid.
  ///   - interval: the seconds between two fire dates; 0 or less means 0.0001. NaN traps.
  ///   - target: the object whose method is called. The timer retains it until it is invalidated.
  ///   - selector: the method.
  ///   - userInfo: the timer's ``userInfo``, for the method; retained as long as the target.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of
  /// `Timer.init(fireAt:interval:target:selector:userInfo:repeats:)`.
  public convenience init<Target: AnyObject>(
    fireAt date: Date, interval: TimeInterval, target: Target,
    selector: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
  ) {
    self.init(at: date, interval, repeats: repeats, userInfo: userInfo) { selector(target)($0) }
  }

  /// Creates a timer that calls a method of `target`, and adds it to the current loop in the
  /// default mode.
  ///
  /// *Differences*: takes the method itself in place of its selector.
  ///
  /// - Parameters:
  ///   - interval: the seconds until the first fire date, and between two fire dates; 0 or
  ///     less means 0.0001. NaN traps.
  ///   - target: the object whose method is called. The timer retains it until it is invalidated.
  ///   - selector: the method.
  ///   - userInfo: the timer's ``userInfo``, for the method; retained as long as the target.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of
  /// `Timer.scheduledTimer(timeInterval:target:selector:userInfo:repeats:)`.
  @available(*, noasync)
  public class func scheduledTimer<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target,
    selector: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
  ) -> Timer {
    Timer(
      timeInterval: interval, target: target, selector: selector, userInfo: userInfo,
      repeats: repeats
    ).scheduled()
  }

  /// Creates a timer that runs a closure. It does nothing until you add it to a loop.
  ///
  /// *Differences*: takes a closure in place of the invocation.
  ///
  /// - Parameters:
  ///   - interval: the seconds until the first fire date, and between two fire dates; 0 or
  ///     less means 0.0001. NaN traps.
  ///   - invocation: the closure to run.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of `Timer.init(timeInterval:invocation:repeats:)`.
  public convenience init(
    timeInterval interval: TimeInterval, invocation: @escaping @Sendable () -> Void, repeats: Bool
  ) {
    self.init(after: interval, repeats: repeats) { _ in invocation() }
  }

  /// Creates a timer that runs a closure, and adds it to the current loop in the default mode.
  ///
  /// *Differences*: takes a closure in place of the invocation.
  ///
  /// - Parameters:
  ///   - interval: the seconds until the first fire date, and between two fire dates; 0 or
  ///     less means 0.0001. NaN traps.
  ///   - invocation: the closure to run.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of `Timer.scheduledTimer(timeInterval:invocation:repeats:)`.
  @available(*, noasync)
  public class func scheduledTimer(
    timeInterval interval: TimeInterval, invocation: @escaping @Sendable () -> Void, repeats: Bool
  ) -> Timer {
    Timer(timeInterval: interval, invocation: invocation, repeats: repeats).scheduled()
  }
}

extension Timer {
  /// Creates a timer with a block and a ``userInfo`` for it.
  ///
  /// *Beyond Apple's API*, whose timers with blocks have none.
  ///
  /// - Parameters:
  ///   - date: the first fire date. A date that has passed is due at once, and the timer keeps
  ///     its grid.
  ///   - interval: the seconds between two fire dates; 0 or less means 0.0001. NaN traps.
  ///   - userInfo: the value for the block; retained until the timer is invalidated.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///   - block: the block to call, with the timer.
  public convenience init(
    fire date: Date, interval: TimeInterval, userInfo: Any?, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) {
    self.init(at: date, interval, repeats: repeats, userInfo: userInfo, block)
  }
}
