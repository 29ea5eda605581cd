// DispatchObject+Functions — a pointer attached to an object, by the names that C
// programs know.

/// Attaches `context` to `object`, in place of what was attached before.
///
/// Any thread. It costs a small record with the first context of an object.
///
/// Source: Apple's documentation of `dispatch_set_context`.
public func dispatch_set_context(_ object: DispatchObject, _ context: UnsafeMutableRawPointer?) {
  object.attachment.setContext(context)
}

/// What was last attached to `object`; nil if nothing was. Any thread.
///
/// Source: Apple's documentation of `dispatch_get_context`.
public func dispatch_get_context(_ object: DispatchObject) -> UnsafeMutableRawPointer? {
  object.attachment.context
}

/// Lets `finalizer` be called with the object's context when the object is freed,
/// if it has a context then.
///
/// It runs as an item of its own, some time after: of a queue, on the queue's
/// target, which is the global queue of its class if it has none; of any other
/// object, on the default global queue.
///
/// Source: Apple's documentation of `dispatch_set_finalizer_f`.
public func dispatch_set_finalizer_f(_ object: DispatchObject, _ finalizer: dispatch_function_t?) {
  object.attachment.setFinalizer(finalizer)
}
