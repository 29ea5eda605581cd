// CFRunLoopObserver+Functions — observers in the C interface.

/// The number of the type.
public func CFRunLoopObserverGetTypeID() -> CFTypeID { CoreFoundationType.observer }

/// Makes an observer that calls a function with its context's pointer.
///
/// A context whose version is not 0 traps. It is copied; its pointer is retained by the
/// context's `retain`, and released when the observer is invalid or gone.
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

/// Makes an observer that calls a closure, which it frees when it is invalid or gone.
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

/// The activities that it is told of.
public func CFRunLoopObserverGetActivities(_ observer: CFRunLoopObserver!) -> CFOptionFlags {
  observer.activities.rawValue
}

/// Whether it is told more than once.
public func CFRunLoopObserverDoesRepeat(_ observer: CFRunLoopObserver!) -> Bool {
  observer.repeats
}

/// Its place among the observers of a mode: lower ones are told first.
public func CFRunLoopObserverGetOrder(_ observer: CFRunLoopObserver!) -> CFIndex {
  observer.order
}

/// Ends an observer: it leaves all modes and is never told of anything again.
///
/// From any thread, and again freely. A call under way on the loop's thread goes on to its
/// end. What it kept is freed, or when that call is over.
///
/// Source: Apple's documentation of `CFRunLoopObserverInvalidate`.
public func CFRunLoopObserverInvalidate(_ observer: CFRunLoopObserver!) { observer.invalidate() }

/// Whether it may be told of anything yet: until it is invalidated or, if it does not
/// repeat, told once.
public func CFRunLoopObserverIsValid(_ observer: CFRunLoopObserver!) -> Bool { observer.isValid }

/// Writes the observer's context where `context` points to: its pointer is not retained. The
/// version there must be 0, else it traps.
///
/// Source: Apple's documentation of `CFRunLoopObserverGetContext`.
public func CFRunLoopObserverGetContext(
  _ observer: CFRunLoopObserver!, _ context: UnsafeMutablePointer<CFRunLoopObserverContext>!
) {
  context.pointee.fill(from: observer.currentContext)
}

/// Adds an observer to a mode, or to all common ones.
///
/// Nothing happens if it is there already, invalid, or in another loop.
///
/// Source: Apple's documentation of `CFRunLoopAddObserver`.
public func CFRunLoopAddObserver(
  _ rl: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) {
  observer.add(to: rl, mode)
}

/// Removes an observer from a mode, or from all common ones if it was added to them.
public func CFRunLoopRemoveObserver(
  _ rl: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) {
  observer.remove(from: rl, mode)
}

/// Whether an observer is in a mode, or was added to the common ones.
public func CFRunLoopContainsObserver(
  _ rl: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) -> Bool {
  observer.isIn(rl, mode)
}
