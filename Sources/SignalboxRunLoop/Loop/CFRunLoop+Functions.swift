// CFRunLoop+Functions — the run loop's C interface.

import SignalboxRuntime

/// Returns the type identifier of run loops.
public func CFRunLoopGetTypeID() -> CFTypeID { CoreFoundationType.loop }

/// Returns the calling thread's loop, and creates it on first use.
///
/// Source: Apple's documentation of `CFRunLoopGetCurrent`.
@available(*, noasync)
public func CFRunLoopGetCurrent() -> CFRunLoop! { CFRunLoop.current }

/// Returns the main thread's loop. Call it from any thread.
///
/// Source: Apple's documentation of `CFRunLoopGetMain`.
public func CFRunLoopGetMain() -> CFRunLoop! { CFRunLoop.main }

/// Returns the mode of a loop's innermost run, or nil if the loop does not run. Call it from any
/// thread.
public func CFRunLoopCopyCurrentMode(_ rl: CFRunLoop!) -> CFRunLoopMode! { rl.currentMode }

/// Returns the modes that a loop has run in, and those that something was added to. Call it from
/// any thread.
public func CFRunLoopCopyAllModes(_ rl: CFRunLoop!) -> [CFRunLoopMode]! { rl.knownModes }

/// Adds a mode to a loop's common modes, and the items of the common modes to that mode. Call it
/// from any thread. A mode never leaves the common modes.
///
/// Source: Apple's documentation of `CFRunLoopAddCommonMode`.
public func CFRunLoopAddCommonMode(_ rl: CFRunLoop!, _ mode: CFRunLoopMode!) {
  rl.addCommonMode(mode)
}

/// Runs the calling thread's loop in the default mode, until the loop is stopped or the mode has
/// neither a source nor a timer.
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
/// If the mode has no sources or timers, the function returns ``CFRunLoopRunResult/finished``
/// at once. It does the same for `commonModes`, which is not a mode. An empty name traps. Runs
/// may be nested; each ends on its own.
///
/// - Parameters:
///   - mode: the mode to run in.
///   - seconds: how long to run. With 0 or less, the loop makes one pass and does not sleep.
///   - returnAfterSourceHandled: whether to return after a source was handled. If several are
///     ready, the loop handles one source, one port and the main queue at most.
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

/// Returns whether the loop's thread is asleep, waiting for work. Call it from any thread. It
/// returns false during the few microseconds for which a loop spins before it sleeps.
public func CFRunLoopIsWaiting(_ rl: CFRunLoop!) -> Bool { rl.state.isWaiting }

/// Wakes a sleeping loop, so that it looks at all its inputs again. Call it from any thread.
///
/// A loop that is about to sleep stays awake. A loop that does not run does not start. The call
/// costs one atomic operation, and one system call if the loop sleeps and no other thread has
/// woken it yet.
///
/// Source: Apple's documentation of `CFRunLoopWakeUp`.
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) { rl.wakeUp() }

/// Ends a loop's innermost run when the current pass has ended. Call it from any
/// thread.
///
/// It has no effect on a loop that does not run.
///
/// Source: Apple's documentation of `CFRunLoopStop`.
public func CFRunLoopStop(_ rl: CFRunLoop!) { rl.stop() }

/// Makes the loop run a block once, in its next pass in a mode, in the order of submission.
/// Call it from any thread. It does not wake a sleeping loop: see ``CFRunLoopWakeUp(_:)``.
///
/// - Parameters:
///   - rl: the loop. If its thread ends first, the block is freed without running.
///   - mode: the mode in which to run the block. `commonModes` means any common mode.
///   - block: the block to run.
///
/// Source: Apple's documentation of `CFRunLoopPerformBlock`.
public func CFRunLoopPerformBlock(
  _ rl: CFRunLoop!, _ mode: CFRunLoopMode!, _ block: (() -> Void)!
) {
  rl.perform(.one(mode), block)
}

/// Makes the loop run a block once, in whichever of several modes it runs first.
public func CFRunLoopPerformBlock(
  _ rl: CFRunLoop!, _ modes: [CFRunLoopMode]!, _ block: (() -> Void)!
) {
  rl.perform(.several(modes), block)
}

/// Makes the loop run a block once, in a mode that is named by a string.
public func CFRunLoopPerformBlock(_ rl: CFRunLoop!, _ mode: CFString!, _ block: (() -> Void)!) {
  rl.perform(.one(CFRunLoopMode(mode)), block)
}
