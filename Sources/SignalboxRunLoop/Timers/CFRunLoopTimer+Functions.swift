// CFRunLoopTimer+Functions — timers in the C interface.

import SignalboxRuntime

/// The number of the type.
public func CFRunLoopTimerGetTypeID() -> CFTypeID { CoreFoundationType.timer }

/// Makes a timer that calls a function with its context's pointer.
///
/// A context whose version is not 0 traps; so does a date or an interval that is no number.
/// The context is copied; its pointer is retained by the context's `retain`, and released when
/// the timer is invalid or gone and no call is under way.
///
/// - Parameters:
///   - allocator: nothing but the default.
///   - fireDate: when it is first due. One that has passed is due at once, and keeps its grid.
///   - interval: how many seconds lie between two times at which it is due; 0 or less for a
///     timer that fires once and is then invalidated.
///   - flags: 0.
///   - order: its place among timers that are due at the same time: lower ones fire first.
///   - callout: what to call.
///   - context: what to call it with.
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

/// Makes a timer that calls a closure, which it frees when it is invalid or gone.
///
/// - Parameters:
///   - allocator: nothing but the default.
///   - fireDate: when it is first due.
///   - interval: seconds between two times; 0 or less for once.
///   - flags: 0.
///   - order: its place among timers that are due at the same time.
///   - block: what to call.
///
/// Source: Apple's documentation of `CFRunLoopTimerCreateWithHandler`.
public func CFRunLoopTimerCreateWithHandler(
  _ allocator: CFAllocator!, _ fireDate: CFAbsoluteTime, _ interval: CFTimeInterval,
  _ flags: CFOptionFlags, _ order: CFIndex, _ block: ((CFRunLoopTimer?) -> Void)!
) -> CFRunLoopTimer! {
  CFRunLoopTimer(TimerRequest.schedule(at: fireDate, interval), order: order, .handler(block))
}

/// When a timer is due next; 0 if it is not valid. While it fires, when it was due.
///
/// Source: Apple's documentation of `CFRunLoopTimerGetNextFireDate`.
public func CFRunLoopTimerGetNextFireDate(_ timer: CFRunLoopTimer!) -> CFAbsoluteTime {
  timer.isValid ? timer.fireDate : 0
}

/// Sets when a timer is due next; a repeating one goes on from there. Costs O(log n) among n
/// timers, and wakes the loop if it sleeps longer than that.
///
/// From any thread; from within its call, too. Nothing happens to one that is not valid, and
/// one that does not repeat fires only once for it. A date that is no number traps.
///
/// Source: Apple's documentation of `CFRunLoopTimerSetNextFireDate`.
public func CFRunLoopTimerSetNextFireDate(_ timer: CFRunLoopTimer!, _ fireDate: CFAbsoluteTime) {
  timer.setFireDate(TimerRequest.checked(fireDate, "date"))
}

/// The seconds between two times at which it is due; 0 if it does not repeat.
public func CFRunLoopTimerGetInterval(_ timer: CFRunLoopTimer!) -> CFTimeInterval {
  timer.interval
}

/// Whether it fires more than once.
public func CFRunLoopTimerDoesRepeat(_ timer: CFRunLoopTimer!) -> Bool { timer.interval > 0 }

/// Its place among the timers that are due at the same time.
public func CFRunLoopTimerGetOrder(_ timer: CFRunLoopTimer!) -> CFIndex { timer.order }

/// Ends a timer: it leaves all modes and never fires again.
///
/// From any thread, and again freely. A call under way on the loop's thread goes on to its
/// end. What it kept is freed, or when that call is over.
///
/// Source: Apple's documentation of `CFRunLoopTimerInvalidate`.
public func CFRunLoopTimerInvalidate(_ timer: CFRunLoopTimer!) { timer.invalidate() }

/// Whether it may fire yet: until it is invalidated or, if it does not repeat, has fired.
public func CFRunLoopTimerIsValid(_ timer: CFRunLoopTimer!) -> Bool { timer.isValid }

/// Writes the timer's context where `context` points to: its pointer is not retained. The
/// version there must be 0, else it traps.
///
/// Source: Apple's documentation of `CFRunLoopTimerGetContext`.
public func CFRunLoopTimerGetContext(
  _ timer: CFRunLoopTimer!, _ context: UnsafeMutablePointer<CFRunLoopTimerContext>!
) {
  context.pointee.fill(from: timer.currentContext)
}

/// How many seconds later than its date a timer may fire.
public func CFRunLoopTimerGetTolerance(_ timer: CFRunLoopTimer!) -> CFTimeInterval {
  timer.tolerance
}

/// Sets how many seconds later than its date a timer may fire, so that it can share a wake-up
/// with others. See ``Timer/tolerance``.
///
/// Source: Apple's documentation of `CFRunLoopTimerSetTolerance`.
public func CFRunLoopTimerSetTolerance(_ timer: CFRunLoopTimer!, _ tolerance: CFTimeInterval) {
  timer.tolerance = TimerRequest.checked(tolerance, "tolerance")
}

// MARK: In a loop

/// Adds a timer to a mode, or to all common ones, and wakes the loop if it sleeps longer than
/// until it is due.
///
/// Nothing happens if it is there already, invalid, or in another loop.
///
/// Source: Apple's documentation of `CFRunLoopAddTimer`.
public func CFRunLoopAddTimer(_ rl: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!) {
  timer.add(to: rl, mode)
}

/// Removes a timer from a mode, or from all common ones if it was added to them. It stays
/// valid.
public func CFRunLoopRemoveTimer(
  _ rl: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!
) {
  timer.remove(from: rl, mode)
}

/// Whether a timer is in a mode, or was added to the common ones.
public func CFRunLoopContainsTimer(
  _ rl: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!
) -> Bool {
  timer.isIn(rl, mode)
}

/// When the first timer of a mode is due; 0 if it has none. Any thread.
///
/// *Differences*: what the loop performs after a delay is no timer here, and of the loop's own
/// thread; there, ``RunLoop/limitDate(forMode:)`` counts it.
///
/// Source: Apple's documentation of `CFRunLoopGetNextTimerFireDate`.
public func CFRunLoopGetNextTimerFireDate(_ rl: CFRunLoop!, _ mode: CFRunLoopMode!)
  -> CFAbsoluteTime
{
  rl.nextFireDate(mode)?.timeIntervalSinceReferenceDate ?? 0
}
