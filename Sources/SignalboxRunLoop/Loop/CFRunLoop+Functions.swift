// CFRunLoop+Functions — run loops in the C interface.

import SignalboxRuntime

/// The number of the type.
public func CFRunLoopGetTypeID() -> CFTypeID { CoreFoundationType.loop }

/// The calling thread's loop, made if it has none yet.
///
/// Source: Apple's documentation of `CFRunLoopGetCurrent`.
@available(*, noasync)
public func CFRunLoopGetCurrent() -> CFRunLoop! { CFRunLoop.current }

/// The loop of the process's first thread. Any thread.
///
/// Source: Apple's documentation of `CFRunLoopGetMain`.
public func CFRunLoopGetMain() -> CFRunLoop! { CFRunLoop.main }

/// The mode in which a loop runs now, of its innermost run; nil if it does not run. Any
/// thread.
public func CFRunLoopCopyCurrentMode(_ rl: CFRunLoop!) -> CFRunLoopMode! { rl.currentMode }

/// The modes of a loop: those that something was added to or that it has run in. Any thread.
public func CFRunLoopCopyAllModes(_ rl: CFRunLoop!) -> [CFRunLoopMode]! { rl.knownModes }

/// Has a mode belong to the common ones of a loop from now on: what was added to them is
/// added to it. Any thread. No mode ever leaves the set.
///
/// Source: Apple's documentation of `CFRunLoopAddCommonMode`.
public func CFRunLoopAddCommonMode(_ rl: CFRunLoop!, _ mode: CFRunLoopMode!) {
  rl.addCommonMode(mode)
}

/// Runs the calling thread's loop in the default mode, until it is stopped or has neither
/// source nor timer there.
///
/// Source: Apple's documentation of `CFRunLoopRun`.
@available(*, noasync)
public func CFRunLoopRun() {
  let loop = CFRunLoop.current
  while true {
    let result = loop.run(.defaultMode, until: UptimeLimit.never, leavesAfterSource: false)
    guard let result, result == .timedOut || result == .handledSource else { return }
  }
}

/// Runs the calling thread's loop in a mode.
///
/// A mode without sources and timers ends it at once, with
/// ``CFRunLoopRunResult/finished``; so do the common modes, which are no mode. The empty
/// name traps. Runs may be nested: each has its own end.
///
/// - Parameters:
///   - mode: in which mode.
///   - seconds: for how long; with 0 or less the loop makes one pass and does not sleep.
///   - returnAfterSourceHandled: whether to leave when a source was handled, one if several
///     are ready.
///
/// Source: Apple's documentation of `CFRunLoopRunInMode`.
@available(*, noasync)
@discardableResult
public func CFRunLoopRunInMode(
  _ mode: CFRunLoopMode!, _ seconds: CFTimeInterval, _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult {
  CFRunLoop.current.run(
    mode, until: UptimeLimit.after(seconds), leavesAfterSource: returnAfterSourceHandled)
    ?? .finished
}

/// Whether the loop's thread sleeps, waiting for something to do. Any thread. Not yet in the
/// microseconds for which a loop that was answered at once waits awake.
public func CFRunLoopIsWaiting(_ rl: CFRunLoop!) -> Bool { rl.state.isWaiting }

/// Wakes a loop that sleeps, so that it looks at everything once more. Any thread.
///
/// One that is about to sleep does not. One that does not run is not started. It costs one
/// atomic operation, and one system call if the loop sleeps and was not woken yet.
///
/// Source: Apple's documentation of `CFRunLoopWakeUp`.
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) { rl.wakeUp() }

/// Ends the innermost run of a loop, when the pass under way is over. Any thread.
///
/// A loop that does not run is not stopped in advance.
///
/// Source: Apple's documentation of `CFRunLoopStop`.
public func CFRunLoopStop(_ rl: CFRunLoop!) { rl.stop() }

/// Has the loop run a block, once, in its next pass in a mode; in order with the others. Any
/// thread. A loop that sleeps goes on sleeping: see ``CFRunLoopWakeUp(_:)``.
///
/// - Parameters:
///   - rl: the loop. If its thread ends before, the block is freed and not run.
///   - mode: in which mode, or with the common ones, in any of them.
///   - block: what to run.
///
/// Source: Apple's documentation of `CFRunLoopPerformBlock`.
public func CFRunLoopPerformBlock(
  _ rl: CFRunLoop!, _ mode: CFRunLoopMode!, _ block: (() -> Void)!
) {
  rl.perform(.one(mode), block)
}

/// The same, in whichever of several modes comes first.
public func CFRunLoopPerformBlock(
  _ rl: CFRunLoop!, _ modes: [CFRunLoopMode]!, _ block: (() -> Void)!
) {
  rl.perform(.several(modes), block)
}

/// The same, with the mode's name as a string.
public func CFRunLoopPerformBlock(_ rl: CFRunLoop!, _ mode: CFString!, _ block: (() -> Void)!) {
  rl.perform(.one(CFRunLoopMode(mode)), block)
}
