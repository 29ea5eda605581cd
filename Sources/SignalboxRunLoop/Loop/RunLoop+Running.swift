// RunLoop+Running — the functions that run a loop.

public import FoundationEssentials
import SignalboxRuntime

extension RunLoop {
  /// Given when a thread tries to run another thread's loop.
  static let foreignRunWarning = OnceWarning()

  /// Runs the loop in the default mode repeatedly, until the mode has neither a source nor a timer.
  ///
  /// ``CFRunLoopStop(_:)`` ends one iteration but not this call. To be able to stop a loop,
  /// call ``run(mode:before:)`` in a loop of your own. On the main loop, this call never
  /// returns.
  ///
  /// Call it on the loop's own thread. On any other thread it returns at once, and the first such
  /// call is reported on standard error.
  @available(*, noasync)
  public func run() {
    guard mayRun("run()") else { return }
    while run(mode: .default, before: .distantFuture) {}
  }

  /// Runs the loop in the default mode repeatedly, until a date has passed or the mode has
  /// neither a source nor a timer.
  ///
  /// If the date has already passed, the loop makes one pass and does not sleep.
  /// ``CFRunLoopStop(_:)`` ends one iteration but not this call. Call it on the loop's own
  /// thread; on any other thread it returns at once, as ``run()`` does.
  ///
  /// - Parameter limitDate: when to return. If the wall clock is set after the call, the time of
  ///   return does not move.
  @available(*, noasync)
  public func run(until limitDate: Date) {
    guard mayRun("run(until:)") else { return }
    let limit = UptimeLimit.at(limitDate)
    while loop.run(.defaultMode, until: limit, leavesAfterSource: true) != nil {
      if Clock.uptime.now >= limit { return }
    }
  }

  /// Runs the loop in a mode until it has handled one input source, a thread stops it, or a
  /// date has passed.
  ///
  /// Timers and blocks are not input sources; the loop may handle any number of them. Call it
  /// on the loop's own thread; on any other thread it returns at once, as ``run()`` does. A mode
  /// with an empty name traps.
  ///
  /// - Parameters:
  ///   - mode: the mode to run in. `common` is not a mode.
  ///   - limitDate: how long to wait. If it has passed, the loop makes one pass and does not sleep.
  /// - Returns: `false` if the mode has neither a source nor a timer, or the thread is not the
  ///   loop's own. In these cases the call does nothing.
  @available(*, noasync)
  @discardableResult
  public func run(mode: RunLoop.Mode, before limitDate: Date) -> Bool {
    guard mayRun("run(mode:before:)") else { return false }
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

  /// Ends the loop's innermost run, as ``CFRunLoopStop(_:)`` does; without a run it has no effect.
  /// Call it from any thread.
  ///
  /// *Beyond Apple's API.* The toolchain has it for XCTest, and other test frameworks call it.
  public func _stop() { loop.stop() }

  /// Whether the calling thread is the loop's own. Any other thread cannot run the loop, and the
  /// first one that tries is reported.
  func mayRun(_ call: StaticString) -> Bool {
    if loop.isCurrent { return true }
    RunLoop.foreignRunWarning.give(
      "\(call) was called on \(loop.words) by \(ThreadName.ofThisThread) and had no effect: only "
        + "the loop's own thread can run it. Call it there, or submit work with perform(_:).")
    return false
  }
}
