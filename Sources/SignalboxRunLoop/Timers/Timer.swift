// Timer — a callback at a date, once or repeatedly, in Swift; a handle on a `CFRunLoopTimer`.

public import FoundationEssentials
import SignalboxRuntime

/// A timer of a run loop: it calls a block at a date, on the loop's thread.
///
/// ```swift
/// let clock = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in showTime() }
/// clock.tolerance = 0.1
/// RunLoop.current.run()
/// ```
///
/// Once its date has passed, a timer fires in a pass of its loop, in one of its modes. It is not
/// exact: a busy loop fires it late. A timer is in one loop at a time, which retains it until it is
/// invalidated. A timer that does not repeat is invalidated after it fires. An invalidated timer
/// frees its block with everything that it captures.
///
/// A repeating timer keeps the grid of its first date: after a late fire, the next one is when
/// it would have been anyway. The timer skips missed dates: it fires once for all of them. If
/// its own block runs past the next date, the timer fires once more when the block returns, and
/// then on the old grid again.
///
/// A timer converts its date to the uptime clock when you set it. If the wall clock is set
/// afterwards, the timer does not move; ``fireDate`` shows the new time from the next fire on.
///
/// Use a timer from any thread. Like Apple's, it is not `Sendable`: to hand a timer to another
/// thread, pass its ``getCFRunLoopTimer()``. Creating, adding and invalidating a timer costs
/// O(log n) among n timers of a mode.
///
/// Source: Apple's documentation of `Timer`.
open class Timer {
  let timer: CFRunLoopTimer

  /// Creates a `Timer` for a timer of the C interface. All such objects for one timer are equal.
  ///
  /// *Beyond Apple's API*, where you cast one to the other.
  ///
  /// - Parameter timer: the timer.
  public init(of timer: CFRunLoopTimer) { self.timer = timer }

  /// Creates a timer, which does nothing until you add it to a loop.
  ///
  /// A date or an interval that is NaN traps.
  ///
  /// - Parameters:
  ///   - date: the first fire date. A date that has passed is due at once, and the timer keeps
  ///     its grid.
  ///   - interval: the seconds between two fire dates; 0 or less means 0.0001. Ignored if the
  ///     timer does not repeat.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///   - block: the block to call, with the timer.
  public init(
    fire date: Date, interval: TimeInterval, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) {
    timer = CFRunLoopTimer(
      TimerRequest.schedule(at: date, interval, repeats: repeats), .block(block))
  }

  /// For initializers without a date.
  convenience init(
    after seconds: TimeInterval, repeats: Bool, userInfo: Any? = nil,
    _ block: @escaping (Timer) -> Void
  ) {
    self.init(
      of: CFRunLoopTimer(
        TimerRequest.schedule(after: seconds, repeats: repeats), info: userInfo, .block(block)))
  }

  convenience init(
    at date: Date, _ interval: TimeInterval, repeats: Bool, userInfo: Any?,
    _ block: @escaping (Timer) -> Void
  ) {
    self.init(
      of: CFRunLoopTimer(
        TimerRequest.schedule(at: date, interval, repeats: repeats), info: userInfo, .block(block)))
  }

  /// Creates a timer that is first due one interval from now. It does nothing until you add it
  /// to a loop.
  ///
  /// - Parameters:
  ///   - interval: the interval in seconds; 0 or less means 0.0001. NaN traps.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///   - block: the block to call, with the timer.
  public convenience init(
    timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
  ) {
    self.init(after: interval, repeats: repeats, block)
  }

  /// Creates a timer and adds it to the current loop in the default mode.
  ///
  /// - Parameters:
  ///   - interval: the interval in seconds; 0 or less means 0.0001. NaN traps.
  ///   - repeats: whether the timer fires until it is invalidated, or once.
  ///   - block: the block to call, with the timer.
  @available(*, noasync)
  open class func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) -> Timer {
    Timer(after: interval, repeats: repeats, block).scheduled()
  }

  /// Adds the timer to the current loop, in the default mode.
  @available(*, noasync)
  func scheduled() -> Timer {
    timer.add(self, to: CFRunLoop.current, .defaultMode)
    return self
  }

  /// Calls the block now, on the calling thread.
  ///
  /// The schedule of a repeating timer stays the same; a timer that does not repeat is
  /// invalidated afterwards. An invalid timer does nothing.
  open func fire() { timer.fire(as: self) }

  /// The next fire date. For a firing timer, the date at which it was due; for an invalid one,
  /// when it last fired, or the date at which it was due if it never fired.
  ///
  /// Set it to move a timer, which costs less than creating another; a repeating timer
  /// continues from there. You can set it from within the block. A timer that does not repeat
  /// still fires only once. Setting it has no effect on an invalid timer; NaN traps.
  open var fireDate: Date {
    get { Date(timeIntervalSinceReferenceDate: timer.fireDate) }
    set {
      timer.setFireDate(
        TimerRequest.checked(newValue.timeIntervalSinceReferenceDate, "date"))
    }
  }

  /// The seconds between two fire dates, or 0 if the timer does not repeat.
  open var timeInterval: TimeInterval { timer.interval }

  /// How many seconds after its date the timer may fire, so that it can share a wake-up with
  /// others. The default is 0.
  ///
  /// A timer never fires before its date. An idle loop sleeps until the first timer that cannot
  /// wait longer, and then fires all that are due. A loop that is awake fires a due timer
  /// whatever its tolerance. For a repeating timer, the tolerance is limited to half the interval,
  /// and does not move the schedule. A negative value means 0; NaN traps.
  open var tolerance: TimeInterval {
    get { timer.tolerance }
    set { timer.tolerance = TimerRequest.checked(newValue, "tolerance") }
  }

  /// Invalidates the timer. It leaves its loop and never fires again.
  ///
  /// Call it from any thread, any number of times. A call of the block that is running
  /// finishes. The timer frees its block, with everything that it captures, now or after that
  /// call.
  ///
  /// *Differences*: Apple's and the toolchain's must be called on the thread of the timer's loop.
  open func invalidate() { timer.invalidate() }

  /// Whether the timer may still fire. False once it is invalidated or, if it does not
  /// repeat, has fired.
  open var isValid: Bool { timer.isValid }

  /// The value that the timer was created with, for its block; `nil` if there was none or the
  /// timer is invalid.
  ///
  /// *Differences*: the toolchain's is always `nil`.
  open var userInfo: Any? { timer.userInfo }

  /// The same timer for the C interface.
  ///
  /// *Beyond Apple's API*, where you cast the timer.
  public func getCFRunLoopTimer() -> CFRunLoopTimer { timer }

  /// The interval, and whether the timer is valid.
  open var description: String { "<Timer: \(timer.words)>" }
}

// SAFETY: unavailable; declared so that the compiler rejects sending a timer.
@available(*, unavailable)
extension Timer: @unchecked Sendable {}

extension Timer: Hashable, CustomStringConvertible {
  public static func == (a: Timer, b: Timer) -> Bool { a.timer === b.timer }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(timer)) }
}
