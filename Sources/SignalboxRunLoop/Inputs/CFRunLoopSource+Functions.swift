// CFRunLoopSource+Functions — input sources in the C interface.

/// Returns the type identifier of run-loop sources.
public func CFRunLoopSourceGetTypeID() -> CFTypeID { CoreFoundationType.source }

/// Creates an input source of version 0, or of version 1 if `context` points to a version 1
/// context.
///
/// The function copies the context, retains its pointer with the context's `retain`, and
/// releases the pointer when nothing refers to the source any more. Any other version traps.
///
/// Source: Apple's documentation of `CFRunLoopSourceCreate`.
public func CFRunLoopSourceCreate(
  _ allocator: CFAllocator!, _ order: CFIndex,
  _ context: UnsafeMutablePointer<CFRunLoopSourceContext>!
) -> CFRunLoopSource! {
  if let context = CFRunLoopSourceContext1.of(context) {
    return context.pointee.makeSource(order: order)
  }
  return context.pointee.makeSource(order: order)
}

/// Creates an input source of version 1.
///
/// The function copies the context, retains its pointer with the context's `retain`, and
/// releases the pointer when nothing refers to the source any more. Any other version traps.
///
/// *Beyond Apple's API.* Apple's function requires a cast of the pointer to the other
/// context's type, which also works here.
public func CFRunLoopSourceCreate(
  _ allocator: CFAllocator!, _ order: CFIndex,
  _ context: UnsafeMutablePointer<CFRunLoopSourceContext1>!
) -> CFRunLoopSource! {
  context.pointee.makeSource(order: order)
}

/// Returns the order of a source in its modes. A loop performs sources with a lower order first.
public func CFRunLoopSourceGetOrder(_ source: CFRunLoopSource!) -> CFIndex { source.order }

/// Invalidates a source. It leaves all modes of all loops, with one call of `cancel` for each,
/// and is never performed again.
///
/// Call it from any thread, any number of times. A callback that is running on another thread
/// finishes.
///
/// Source: Apple's documentation of `CFRunLoopSourceInvalidate`.
public func CFRunLoopSourceInvalidate(_ source: CFRunLoopSource!) { source.invalidate() }

/// Returns whether the source is still valid.
public func CFRunLoopSourceIsValid(_ source: CFRunLoopSource!) -> Bool { source.isValid }

/// Copies the source's context into `context`, without retaining its pointer. The version in
/// `context` must be the source's; any other traps.
///
/// Source: Apple's documentation of `CFRunLoopSourceGetContext`.
public func CFRunLoopSourceGetContext(
  _ source: CFRunLoopSource!, _ context: UnsafeMutablePointer<CFRunLoopSourceContext>!
) {
  if let context = CFRunLoopSourceContext1.of(context) {
    context.pointee.fill(from: source)
  } else {
    context.pointee.fill(from: source)
  }
}

/// Copies the context of a version 1 source into `context`, without retaining its pointer. The
/// version in `context` must be 1; any other traps.
///
/// *Beyond Apple's API.* Apple's function requires a cast of the pointer, which also
/// works here.
public func CFRunLoopSourceGetContext(
  _ source: CFRunLoopSource!, _ context: UnsafeMutablePointer<CFRunLoopSourceContext1>!
) {
  context.pointee.fill(from: source)
}

/// Signals a version 0 source. Its loop performs it in the next pass in one of the source's modes.
///
/// Call it from any thread. It does not wake a sleeping loop: see ``CFRunLoopWakeUp(_:)``.
/// Several signals before the source is performed count as one. It costs one atomic operation.
/// Has no effect on a source of version 1.
///
/// Source: Apple's documentation of `CFRunLoopSourceSignal`.
public func CFRunLoopSourceSignal(_ source: CFRunLoopSource!) { source.signal() }

/// Adds a source to a mode, or to all common modes.
///
/// Does nothing if the source is already there or is invalid. A source may be in several loops.
///
/// Source: Apple's documentation of `CFRunLoopAddSource`.
public func CFRunLoopAddSource(
  _ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) {
  source.add(to: rl, mode)
}

/// Removes a source from a mode, or from all common modes if it was added to them.
///
/// Source: Apple's documentation of `CFRunLoopRemoveSource`.
public func CFRunLoopRemoveSource(
  _ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) {
  source.remove(from: rl, mode)
}

/// Returns whether a source is in a mode, or was added to the common modes.
public func CFRunLoopContainsSource(
  _ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) -> Bool {
  source.isIn(rl, mode)
}
