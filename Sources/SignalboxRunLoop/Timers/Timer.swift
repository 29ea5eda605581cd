// Timer — what a loop calls at a date, once or again and again, as Swift knows it: a face of
// `CFRunLoopTimer`.

public import FoundationEssentials
import SignalboxRuntime

/// A timer of a run loop: it calls a block when the time has come, on the loop's thread.
///
/// ```swift
/// let clock = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in showTime() }
/// clock.tolerance = 0.1
/// RunLoop.current.run()
/// ```
///
/// A timer fires in the passes of a loop that it was added to, in its modes, when its date has
/// come. It is not exact: a loop that is busy fires it late. It belongs to one loop at a time,
/// which keeps it until it is invalidated; one that does not repeat is, when it has fired.
/// Then it is freed, with all that its block has captured.
///
/// A repeating timer keeps the schedule with which it began: if it is late, the next fire
/// is where it would have been. What it misses it skips: however many times have passed, it
/// fires once for all of them. If its own block takes so long that a time passes, it fires
/// once more when that returns, and then by the old schedule again.
///
/// A date is turned into a point of the uptime clock when it is given. A step of the wall
/// clock afterwards does not move it; ``fireDate`` shows the new time from the next fire on.
///
/// All of it may be called from any thread. It is not `Sendable`, as it is not elsewhere:
/// to hand a timer to another thread, hand on its ``getCFRunLoopTimer()``. Making, adding and
/// invalidating one costs O(log n) among n timers of a mode.
///
/// Source: Apple's documentation of `Timer`.
open class Timer {
  let timer: CFRunLoopTimer

  /// A timer of the C interface as a `Timer`: it is equal to any other of the same.
  ///
  /// *Beyond Apple's API*, where one is cast to the other.
  ///
  /// - Parameter timer: which one.
  public init(of timer: CFRunLoopTimer) { self.timer = timer }

  /// A timer, which does nothing until it is added to a loop.
  ///
  /// A date or an interval that is no number traps.
  ///
  /// - Parameters:
  ///   - date: when it is first due. One that has passed is due at once, and keeps its grid.
  ///   - interval: the seconds between two times at which it is due. Where that is 0 or
  ///     less, 0.0001 takes its place. If it does not repeat it has none.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///   - block: what to call, with the timer.
  public init(
    fire date: Date, interval: TimeInterval, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) {
    timer = CFRunLoopTimer(
      TimerRequest.schedule(at: date, interval, repeats: repeats), .block(block))
  }

  /// For those that say no date.
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

  /// A timer that is first due when its interval has passed; it does nothing until it is added
  /// to a loop. The time begins now.
  ///
  /// - Parameters:
  ///   - interval: seconds; 0.0001 where it is 0 or less. What is no number traps.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///   - block: what to call, with the timer.
  public convenience init(
    timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
  ) {
    self.init(after: interval, repeats: repeats, block)
  }

  /// Makes a timer and adds it to the current loop in its default mode.
  ///
  /// - Parameters:
  ///   - interval: seconds; 0.0001 where it is 0 or less. What is no number traps.
  ///   - repeats: whether it fires until it is invalidated, or once.
  ///   - block: what to call, with the timer.
  @available(*, noasync)
  open class func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) -> Timer {
    Timer(after: interval, repeats: repeats, block).scheduled()
  }

  /// In the current loop, in its default mode.
  @available(*, noasync)
  func scheduled() -> Timer {
    timer.add(self, to: CFRunLoop.current, .defaultMode)
    return self
  }

  /// Calls the block now, on the calling thread.
  ///
  /// The schedule of a repeating timer goes on as if nothing had happened; one that does not
  /// repeat is invalidated afterwards. One that is not valid does nothing.
  open func fire() { timer.fire(as: self) }

  /// When the timer is due next, or once it is not valid, when it last fired, or was due if it
  /// never did. While it fires, when it was due.
  ///
  /// Setting it moves a timer, which costs less than to make another; a repeating one goes
  /// on from there. It may be set from within the block. One that does not repeat fires only
  /// once all the same. Nothing happens to one that is not valid; a date that is no number traps.
  open var fireDate: Date {
    get { Date(timeIntervalSinceReferenceDate: timer.fireDate) }
    set {
      timer.setFireDate(
        TimerRequest.checked(newValue.timeIntervalSinceReferenceDate, "date"))
    }
  }

  /// The seconds between two times at which it is due; 0 if it does not repeat.
  open var timeInterval: TimeInterval { timer.interval }

  /// How many seconds later than its date it may fire, so that it can share a wake-up with
  /// others; 0 at first.
  ///
  /// It never fires before its date. A loop with nothing else to do sleeps until the first
  /// timer can wait no longer, and fires all that are due by then; one that is awake fires a
  /// timer that is due whatever its tolerance. The schedule of a repeating timer does not move
  /// by it. At most half the interval is used; below 0 is 0; what is no number traps.
  open var tolerance: TimeInterval {
    get { timer.tolerance }
    set { timer.tolerance = TimerRequest.checked(newValue, "tolerance") }
  }

  /// Ends the timer: it leaves its loop and never fires again.
  ///
  /// From any thread, and again freely. A call of its block under way goes on to its end.
  /// The block is freed with all that it has captured; or when that call is over.
  ///
  /// *Differences*: elsewhere it must be called on the thread of the timer's loop.
  open func invalidate() { timer.invalidate() }

  /// Whether it may fire yet: until it is invalidated or, if it does not repeat, has fired.
  open var isValid: Bool { timer.isValid }

  /// What the timer was made with, for its block; `nil` if that was nothing, or once it is
  /// not valid.
  ///
  /// *Differences*: the toolchain's is always `nil`.
  open var userInfo: Any? { timer.userInfo }

  /// The same timer, as the C interface takes it.
  ///
  /// *Beyond Apple's API*, where a timer is cast to it.
  public func getCFRunLoopTimer() -> CFRunLoopTimer { timer }

  /// How often it fires, and whether it is valid.
  open var description: String { "<Timer: \(timer.words)>" }
}

// SAFETY: unavailable; it is here to say no.
@available(*, unavailable)
extension Timer: @unchecked Sendable {}

extension Timer: Hashable, CustomStringConvertible {
  public static func == (a: Timer, b: Timer) -> Bool { a.timer === b.timer }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(timer)) }
}
