// CFRunLoopSource+Functions — input sources in the C interface.

/// The number of the type.
public func CFRunLoopSourceGetTypeID() -> CFTypeID { CoreFoundationType.source }

/// Makes an input source of version 0; or of version 1, if that is what `context` points to
/// in fact.
///
/// A context of another version traps. It is copied; its pointer is retained by the context's
/// `retain`, and released when nothing refers to the source any more.
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

/// Makes an input source of version 1.
///
/// A context of another version traps. It is copied; its pointer is retained by the context's
/// `retain`, and released when nothing refers to the source any more.
///
/// *Beyond Apple's API.* There the pointer's type has to be changed to that of the other
/// context first, which is accepted here, too.
public func CFRunLoopSourceCreate(
  _ allocator: CFAllocator!, _ order: CFIndex,
  _ context: UnsafeMutablePointer<CFRunLoopSourceContext1>!
) -> CFRunLoopSource! {
  context.pointee.makeSource(order: order)
}

/// Its place among the sources of a mode: lower ones are performed first.
public func CFRunLoopSourceGetOrder(_ source: CFRunLoopSource!) -> CFIndex { source.order }

/// Ends a source: it leaves all modes of all loops, for each of which its `cancel` is called,
/// and is never performed again.
///
/// From any thread, and again freely. A call under way on another thread goes on to its end.
///
/// Source: Apple's documentation of `CFRunLoopSourceInvalidate`.
public func CFRunLoopSourceInvalidate(_ source: CFRunLoopSource!) { source.invalidate() }

/// Whether it was not invalidated.
public func CFRunLoopSourceIsValid(_ source: CFRunLoopSource!) -> Bool { source.isValid }

/// Writes the source's context where `context` points to: its pointer is not retained. The
/// version there must be the source's, else it traps.
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

/// Writes the context of a source of version 1 where `context` points to: its pointer is not
/// retained. The version there must be 1, else it traps.
///
/// *Beyond Apple's API.* There the pointer's type has to be changed first, which is accepted
/// here, too.
public func CFRunLoopSourceGetContext(
  _ source: CFRunLoopSource!, _ context: UnsafeMutablePointer<CFRunLoopSourceContext1>!
) {
  context.pointee.fill(from: source)
}

/// Marks a source of version 0 as having something for its loop, which performs it in its
/// next pass in a mode of the source's.
///
/// From any thread. A loop that sleeps goes on sleeping: see ``CFRunLoopWakeUp(_:)``. Signals
/// that come before it is performed are one. It costs one atomic operation. A source of version
/// 1 takes no notice.
///
/// Source: Apple's documentation of `CFRunLoopSourceSignal`.
public func CFRunLoopSourceSignal(_ source: CFRunLoopSource!) { source.signal() }

/// Adds a source to a mode, or to all common ones.
///
/// Nothing happens if it is there already or is invalid. A source may be in several loops.
///
/// Source: Apple's documentation of `CFRunLoopAddSource`.
public func CFRunLoopAddSource(
  _ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) {
  source.add(to: rl, mode)
}

/// Removes a source from a mode, or from all common ones if it was added to them.
///
/// Source: Apple's documentation of `CFRunLoopRemoveSource`.
public func CFRunLoopRemoveSource(
  _ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) {
  source.remove(from: rl, mode)
}

/// Whether a source is in a mode, or was added to the common ones.
public func CFRunLoopContainsSource(
  _ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) -> Bool {
  source.isIn(rl, mode)
}
