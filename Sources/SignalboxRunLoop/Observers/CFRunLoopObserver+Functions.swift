// CFRunLoopObserver+Functions — the observer's C interface.

/// Returns the type identifier of observers.
public func CFRunLoopObserverGetTypeID() -> CFTypeID { CoreFoundationType.observer }

/// Creates an observer that calls a function with its context's pointer.
///
/// The function copies the context, retains its pointer with the context's `retain`, and
/// releases the pointer when the observer becomes invalid or is freed. A context whose version
/// is not 0 traps.
///
/// Source: Apple's documentation of `CFRunLoopObserverCreate`.
public func CFRunLoopObserverCreate(
  _ allocator: CFAllocator!, _ activities: CFOptionFlags, _ repeats: Bool, _ order: CFIndex,
  _ callout: CFRunLoopObserverCallBack!, _ context: UnsafeMutablePointer<CFRunLoopObserverContext>!
) -> CFRunLoopObserver! {
  let callOut: CFRunLoopObserverCallBack? = callout
  return CFRunLoopObserver(
    CFRunLoopActivity(rawValue: activities), repeats: repeats, order: order,
    context: context.map { $0.pointee.checked() }
  ) { observer, activity, info in callOut?(observer, activity, info) }
}

/// Creates an observer that calls a closure, which it frees when it becomes invalid or is freed.
///
/// Source: Apple's documentation of `CFRunLoopObserverCreateWithHandler`.
public func CFRunLoopObserverCreateWithHandler(
  _ allocator: CFAllocator!, _ activities: CFOptionFlags, _ repeats: Bool, _ order: CFIndex,
  _ block: ((CFRunLoopObserver?, CFRunLoopActivity) -> Void)!
) -> CFRunLoopObserver! {
  let handler: ((CFRunLoopObserver?, CFRunLoopActivity) -> Void)? = block
  return CFRunLoopObserver(
    CFRunLoopActivity(rawValue: activities), repeats: repeats, order: order, context: nil
  ) { observer, activity, _ in handler?(observer, activity) }
}

/// Returns the activities that an observer watches.
public func CFRunLoopObserverGetActivities(_ observer: CFRunLoopObserver!) -> CFOptionFlags {
  observer.activities.rawValue
}

/// Returns whether an observer fires more than once.
public func CFRunLoopObserverDoesRepeat(_ observer: CFRunLoopObserver!) -> Bool {
  observer.repeats
}

/// Returns the order of an observer in its modes. A loop calls observers with a lower order first.
public func CFRunLoopObserverGetOrder(_ observer: CFRunLoopObserver!) -> CFIndex {
  observer.order
}

/// Invalidates an observer. It leaves all modes and never fires again.
///
/// Call it from any thread, any number of times. A callback that is running on the loop's
/// thread finishes; the observer then frees its closure and context.
///
/// Source: Apple's documentation of `CFRunLoopObserverInvalidate`.
public func CFRunLoopObserverInvalidate(_ observer: CFRunLoopObserver!) { observer.invalidate() }

/// Returns whether an observer may still fire. The result is false once it is invalidated
/// or, if it does not repeat, has fired.
public func CFRunLoopObserverIsValid(_ observer: CFRunLoopObserver!) -> Bool { observer.isValid }

/// Copies the observer's context into `context`, without retaining its pointer. The version in
/// `context` must be 0; any other traps.
///
/// Source: Apple's documentation of `CFRunLoopObserverGetContext`.
public func CFRunLoopObserverGetContext(
  _ observer: CFRunLoopObserver!, _ context: UnsafeMutablePointer<CFRunLoopObserverContext>!
) {
  context.pointee.fill(from: observer.currentContext)
}

/// Adds an observer to a mode, or to all common modes.
///
/// Does nothing if the observer is already there, is invalid, or is in another loop.
///
/// Source: Apple's documentation of `CFRunLoopAddObserver`.
public func CFRunLoopAddObserver(
  _ rl: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) {
  observer.add(to: rl, mode)
}

/// Removes an observer from a mode, or from all common modes if it was added to them.
public func CFRunLoopRemoveObserver(
  _ rl: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) {
  observer.remove(from: rl, mode)
}

/// Returns whether an observer is in a mode, or was added to the common modes.
public func CFRunLoopContainsObserver(
  _ rl: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) -> Bool {
  observer.isIn(rl, mode)
}
