// Timer+Target — timers with a target and an argument: the initializers that the toolchain
// lacks, with methods and closures in place of selectors and invocations.

public import FoundationEssentials

extension Timer {
  /// A timer that calls a method of `target`, with the timer; it does nothing until it is added
  /// to a loop.
  ///
  /// ```swift
  /// let timer = Timer(
  ///   timeInterval: 0.5, target: self, selector: Screen.blink, userInfo: cell, repeats: true)
  /// ```
  ///
  /// *Differences*: the method itself in place of its selector.
  ///
  /// - Parameters:
  ///   - interval: seconds, from now to the first time and between two; 0.0001 where it is 0
  ///     or less. What is no number traps.
  ///   - target: whose method. The timer keeps it until it is invalidated.
  ///   - selector: which method.
  ///   - userInfo: what the method finds in the timer's ``userInfo``; kept as the target is.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of `Timer.init(timeInterval:target:selector:userInfo:repeats:)`.
  public convenience init<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target,
    selector: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
  ) {
    self.init(after: interval, repeats: repeats, userInfo: userInfo) { selector(target)($0) }
  }

  /// A timer that calls a method of `target`, first at a date; it does nothing until it is added
  /// to a loop.
  ///
  /// *Differences*: the method itself in place of its selector.
  ///
  /// - Parameters:
  ///   - date: when it is first due. One that has passed is due at once, and keeps its grid.
  ///   - interval: seconds between two times; 0.0001 where it is 0 or less. What is no number
  ///     traps.
  ///   - target: whose method. The timer keeps it until it is invalidated.
  ///   - selector: which method.
  ///   - userInfo: what the method finds in the timer's ``userInfo``; kept as the target is.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of
  /// `Timer.init(fireAt:interval:target:selector:userInfo:repeats:)`.
  public convenience init<Target: AnyObject>(
    fireAt date: Date, interval: TimeInterval, target: Target,
    selector: @escaping (Target) -> (Timer) -> Void, userInfo: Any?, repeats: Bool
  ) {
    self.init(at: date, interval, repeats: repeats, userInfo: userInfo) { selector(target)($0) }
  }

  /// Makes a timer that calls a method of `target`, and adds it to the current loop in its
  /// default mode.
  ///
  /// *Differences*: the method itself in place of its selector.
  ///
  /// - Parameters:
  ///   - interval: seconds, from now to the first time and between two; 0.0001 where it is 0
  ///     or less. What is no number traps.
  ///   - target: whose method. The timer keeps it until it is invalidated.
  ///   - selector: which method.
  ///   - userInfo: what the method finds in the timer's ``userInfo``; kept as the target is.
  ///   - repeats: whether it fires until it is invalidated, or once.
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

  /// A timer that makes a call; it does nothing until it is added to a loop.
  ///
  /// *Differences*: a closure in place of the invocation.
  ///
  /// - Parameters:
  ///   - interval: seconds, from now to the first time and between two; 0.0001 where it is 0
  ///     or less. What is no number traps.
  ///   - invocation: which call.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///
  /// Source: Apple's documentation of `Timer.init(timeInterval:invocation:repeats:)`.
  public convenience init(
    timeInterval interval: TimeInterval, invocation: @escaping @Sendable () -> Void, repeats: Bool
  ) {
    self.init(after: interval, repeats: repeats) { _ in invocation() }
  }

  /// Makes a timer that makes a call, and adds it to the current loop in its default mode.
  ///
  /// *Differences*: a closure in place of the invocation.
  ///
  /// - Parameters:
  ///   - interval: seconds, from now to the first time and between two; 0.0001 where it is 0
  ///     or less. What is no number traps.
  ///   - invocation: which call.
  ///   - repeats: whether it fires until it is invalidated, or once.
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
  /// A timer whose block finds something in its ``userInfo``.
  ///
  /// *Beyond Apple's API*, whose timers with blocks have none.
  ///
  /// - Parameters:
  ///   - date: when it is first due. One that has passed is due at once, and keeps its grid.
  ///   - interval: seconds between two times; 0.0001 where it is 0 or less. What is no number
  ///     traps.
  ///   - userInfo: what the block finds; kept until the timer is invalidated.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///   - block: what to call, with the timer.
  public convenience init(
    fire date: Date, interval: TimeInterval, userInfo: Any?, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) {
    self.init(at: date, interval, repeats: repeats, userInfo: userInfo, block)
  }
}
