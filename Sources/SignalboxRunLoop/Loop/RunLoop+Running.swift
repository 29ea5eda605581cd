// RunLoop+Running — the functions that run a loop.

public import FoundationEssentials
import SignalboxRuntime

extension RunLoop {
  /// Runs the loop in the default mode repeatedly, until the mode has neither a source nor a timer.
  ///
  /// ``CFRunLoopStop(_:)`` ends one iteration but not this call. To be able to stop a loop,
  /// call ``run(mode:before:)`` in a loop of your own. On the main loop, this call never
  /// returns.
  ///
  /// Call it on the loop's own thread; any other thread traps.
  @available(*, noasync)
  public func run() {
    while run(mode: .default, before: .distantFuture) {}
  }

  /// Runs the loop in the default mode repeatedly, until a date has passed or the mode has
  /// neither a source nor a timer.
  ///
  /// If the date has already passed, the loop makes one pass and does not sleep.
  /// ``CFRunLoopStop(_:)`` ends one iteration but not this call. Call it on the loop's own
  /// thread; any other thread traps.
  ///
  /// - Parameter limitDate: when to return. If the wall clock is set after the call, the time of
  ///   return does not move.
  @available(*, noasync)
  public func run(until limitDate: Date) {
    checkThread("run(until:)")
    let limit = UptimeLimit.at(limitDate)
    while loop.run(.defaultMode, until: limit, leavesAfterSource: true) != nil {
      if Clock.uptime.now >= limit { return }
    }
  }

  /// Runs the loop in a mode until it has handled one input source, a thread stops it, or a
  /// date has passed.
  ///
  /// Timers and blocks are not input sources; the loop may handle any number of them. Call it
  /// on the loop's own thread; any other thread traps, and so does a mode with an empty name.
  ///
  /// - Parameters:
  ///   - mode: the mode to run in. `common` is not a mode.
  ///   - limitDate: how long to wait. If it has passed, the loop makes one pass and does not sleep.
  /// - Returns: `false` if the mode has neither a source nor a timer, in which case the call
  ///   does nothing.
  @available(*, noasync)
  @discardableResult
  public func run(mode: RunLoop.Mode, before limitDate: Date) -> Bool {
    checkThread("run(mode:before:)")
    let limit = UptimeLimit.at(limitDate)
    return loop.run(CFRunLoopMode(mode), until: limit, leavesAfterSource: true) != nil
  }

  /// Does nothing, because a run loop of a server needs no configuration. It exists for
  /// programs that call it.
  ///
  /// Call it from any thread.
  ///
  /// *Differences*: absent from the toolchain.
  ///
  /// Source: Apple's documentation of `NSRunLoop`'s `configureAsServer`.
  public func configureAsServer() {}

  func checkThread(_ call: StaticString) {
    if loop.isCurrent { return }
    clientBug(
      "\(call) was called on \(loop.words) by \(ThreadName.ofThisThread): only the loop's own "
        + "thread can run it. Call it there, or submit work with perform(_:).")
  }
}
