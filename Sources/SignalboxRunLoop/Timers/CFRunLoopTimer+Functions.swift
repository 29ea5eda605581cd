// CFRunLoopTimer+Functions — the timer's C interface.

import SignalboxRuntime

/// Returns the type identifier of timers.
public func CFRunLoopTimerGetTypeID() -> CFTypeID { CoreFoundationType.timer }

/// Creates a timer that calls a function with its context's pointer.
///
/// The function copies the context, retains its pointer with the context's `retain`, and
/// releases the pointer when the timer is invalid or freed and no call is running. A context
/// whose version is not 0 traps; so does a date or an interval that is NaN.
///
/// - Parameters:
///   - allocator: ignored; only the default exists.
///   - fireDate: the first fire date. A date that has passed is due at once, and the timer
///     keeps its grid.
///   - interval: the seconds between two fire dates; with 0 or less, the timer fires once and
///     is then invalidated.
///   - flags: 0.
///   - order: the order among timers that are due at the same time; a lower order fires first.
///   - callout: the function to call.
///   - context: the context, whose pointer the function receives.
///
/// Source: Apple's documentation of `CFRunLoopTimerCreate`.
public func CFRunLoopTimerCreate(
  _ allocator: CFAllocator!, _ fireDate: CFAbsoluteTime, _ interval: CFTimeInterval,
  _ flags: CFOptionFlags, _ order: CFIndex, _ callout: CFRunLoopTimerCallBack!,
  _ context: UnsafeMutablePointer<CFRunLoopTimerContext>!
) -> CFRunLoopTimer! {
  CFRunLoopTimer(
    TimerRequest.schedule(at: fireDate, interval), order: order,
    context: context.map { $0.pointee.checked() }, .function(callout))
}

/// Creates a timer that calls a closure, which it frees when it is invalid or freed.
///
/// - Parameters:
///   - allocator: ignored; only the default exists.
///   - fireDate: the first fire date.
///   - interval: the seconds between two fire dates; with 0 or less, the timer fires once.
///   - flags: 0.
///   - order: the order among timers that are due at the same time.
///   - block: the closure to call.
///
/// Source: Apple's documentation of `CFRunLoopTimerCreateWithHandler`.
public func CFRunLoopTimerCreateWithHandler(
  _ allocator: CFAllocator!, _ fireDate: CFAbsoluteTime, _ interval: CFTimeInterval,
  _ flags: CFOptionFlags, _ order: CFIndex, _ block: ((CFRunLoopTimer?) -> Void)!
) -> CFRunLoopTimer! {
  CFRunLoopTimer(TimerRequest.schedule(at: fireDate, interval), order: order, .handler(block))
}

/// Returns the next fire date of a timer, or 0 if it is invalid. While the timer fires, returns
/// the date at which it was due.
///
/// Source: Apple's documentation of `CFRunLoopTimerGetNextFireDate`.
public func CFRunLoopTimerGetNextFireDate(_ timer: CFRunLoopTimer!) -> CFAbsoluteTime {
  timer.isValid ? timer.fireDate : 0
}

/// Sets the next fire date of a timer; a repeating timer continues from there. Costs O(log n)
/// among n timers, and wakes the loop if it would sleep past the date.
///
/// Call it from any thread, even from the timer's own callback. It has no effect on an invalid
/// timer, and a timer that does not repeat still fires only once. NaN traps.
///
/// Source: Apple's documentation of `CFRunLoopTimerSetNextFireDate`.
public func CFRunLoopTimerSetNextFireDate(_ timer: CFRunLoopTimer!, _ fireDate: CFAbsoluteTime) {
  timer.setFireDate(TimerRequest.checked(fireDate, "date"))
}

/// Returns the seconds between two fire dates of a timer, or 0 if it does not repeat.
public func CFRunLoopTimerGetInterval(_ timer: CFRunLoopTimer!) -> CFTimeInterval {
  timer.interval
}

/// Returns whether a timer fires more than once.
public func CFRunLoopTimerDoesRepeat(_ timer: CFRunLoopTimer!) -> Bool { timer.interval > 0 }

/// Returns the order of a timer among those that are due at the same time.
public func CFRunLoopTimerGetOrder(_ timer: CFRunLoopTimer!) -> CFIndex { timer.order }

/// Invalidates a timer. It leaves all modes and never fires again.
///
/// Call it from any thread, any number of times. A callback that is running on the loop's
/// thread finishes; the timer then frees its closure and context.
///
/// Source: Apple's documentation of `CFRunLoopTimerInvalidate`.
public func CFRunLoopTimerInvalidate(_ timer: CFRunLoopTimer!) { timer.invalidate() }

/// Returns whether a timer may still fire. The result is false once it is invalidated or, if
/// it does not repeat, has fired.
public func CFRunLoopTimerIsValid(_ timer: CFRunLoopTimer!) -> Bool { timer.isValid }

/// Copies the timer's context into `context`, without retaining its pointer. The version in
/// `context` must be 0; any other traps.
///
/// Source: Apple's documentation of `CFRunLoopTimerGetContext`.
public func CFRunLoopTimerGetContext(
  _ timer: CFRunLoopTimer!, _ context: UnsafeMutablePointer<CFRunLoopTimerContext>!
) {
  context.pointee.fill(from: timer.currentContext)
}

/// Returns how many seconds after its date a timer may fire.
public func CFRunLoopTimerGetTolerance(_ timer: CFRunLoopTimer!) -> CFTimeInterval {
  timer.tolerance
}

/// Sets how many seconds after its date a timer may fire, so that it can share a wake-up with
/// others. See ``Timer/tolerance``.
///
/// Source: Apple's documentation of `CFRunLoopTimerSetTolerance`.
public func CFRunLoopTimerSetTolerance(_ timer: CFRunLoopTimer!, _ tolerance: CFTimeInterval) {
  timer.tolerance = TimerRequest.checked(tolerance, "tolerance")
}

// MARK: In a loop

/// Adds a timer to a mode, or to all common modes. Wakes the loop if it would sleep past the
/// timer's date.
///
/// Does nothing if the timer is already there, is invalid, or is in another loop.
///
/// Source: Apple's documentation of `CFRunLoopAddTimer`.
public func CFRunLoopAddTimer(_ rl: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!) {
  timer.add(to: rl, mode)
}

/// Removes a timer from a mode, or from all common modes if it was added to them. The timer
/// stays valid.
public func CFRunLoopRemoveTimer(
  _ rl: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!
) {
  timer.remove(from: rl, mode)
}

/// Returns whether a timer is in a mode, or was added to the common modes.
public func CFRunLoopContainsTimer(
  _ rl: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!
) -> Bool {
  timer.isIn(rl, mode)
}

/// Returns when the first timer of a mode is due, or 0 if the mode has none. Call it from any
/// thread.
///
/// *Differences*: delayed performs are not timers here; only the loop's own thread uses them.
/// ``RunLoop/limitDate(forMode:)`` includes them.
///
/// Source: Apple's documentation of `CFRunLoopGetNextTimerFireDate`.
public func CFRunLoopGetNextTimerFireDate(_ rl: CFRunLoop!, _ mode: CFRunLoopMode!)
  -> CFAbsoluteTime
{
  rl.nextFireDate(mode)?.timeIntervalSinceReferenceDate ?? 0
}
