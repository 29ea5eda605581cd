// RunLoop+Running — the ways to run a loop.

public import FoundationEssentials
import SignalboxRuntime

extension RunLoop {
  /// Runs the loop in the default mode, again and again, until that has neither source nor
  /// timer.
  ///
  /// ``CFRunLoopStop(_:)`` ends a turn and not this: where a loop is to be stopped, run it by
  /// ``run(mode:before:)`` as long as it is wanted. The main loop never comes back from here.
  ///
  /// Traps on any other thread than the loop's own.
  @available(*, noasync)
  public func run() {
    while run(mode: .default, before: .distantFuture) {}
  }

  /// Runs the loop in the default mode, again and again, until a date has passed or the mode
  /// has neither source nor timer.
  ///
  /// A date that has passed makes it one pass, without a sleep. ``CFRunLoopStop(_:)`` ends a
  /// turn and not this. Traps on any other thread than the loop's own.
  ///
  /// - Parameter limitDate: when to leave. A step of the wall clock after the call does not
  ///   move it.
  @available(*, noasync)
  public func run(until limitDate: Date) {
    checkThread("run(until:)")
    let limit = UptimeLimit.at(limitDate)
    while loop.run(.defaultMode, until: limit, leavesAfterSource: true) != nil {
      if Clock.uptime.now >= limit { return }
    }
  }

  /// Runs the loop in a mode until it has handled one input source, was stopped, or a date
  /// has passed.
  ///
  /// Timers and blocks are no input sources: it may handle any number of them. Traps on any
  /// other thread than the loop's own, and where the mode has no name.
  ///
  /// - Parameters:
  ///   - mode: in which mode; not the common ones, which are no mode.
  ///   - limitDate: until when to wait. With one that has passed it makes one pass and does not
  ///     sleep.
  /// - Returns: `false` if the mode has neither source nor timer, so that nothing was done.
  @available(*, noasync)
  @discardableResult
  public func run(mode: RunLoop.Mode, before limitDate: Date) -> Bool {
    checkThread("run(mode:before:)")
    let limit = UptimeLimit.at(limitDate)
    return loop.run(CFRunLoopMode(mode), until: limit, leavesAfterSource: true) != nil
  }

  /// Does nothing: no loop is another for a server. It is here for programs that call it.
  ///
  /// Any thread.
  ///
  /// *Differences*: absent from the toolchain.
  ///
  /// Source: Apple's documentation of `NSRunLoop`'s `configureAsServer`.
  public func configureAsServer() {}

  func checkThread(_ call: StaticString) {
    if loop.isCurrent { return }
    clientBug(
      "\(call) was called on \(loop.words) by \(ThreadName.ofThisThread): a loop is run by its own "
        + "thread. Have that call it, or wake the loop by perform(_:).")
  }
}
