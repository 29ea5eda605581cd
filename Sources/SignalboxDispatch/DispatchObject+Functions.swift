// DispatchObject+Functions — attaches a pointer to an object, under the names that C programs
// know.

/// Attaches `context` to `object` in place of the previous context.
///
/// Any thread may call it. The first context of an object costs a small record.
///
/// Source: Apple's documentation of `dispatch_set_context`.
public func dispatch_set_context(_ object: DispatchObject, _ context: UnsafeMutableRawPointer?) {
  object.attachment.setContext(context)
}

/// The context of `object`; nil if it has none. Any thread may call it.
///
/// Source: Apple's documentation of `dispatch_get_context`.
public func dispatch_get_context(_ object: DispatchObject) -> UnsafeMutableRawPointer? {
  object.attachment.context
}

/// Sets the function to call with the object's context when the object is freed, if it has a
/// context then.
///
/// The finalizer runs later, as an item of its own: for a queue, on its target, or on the global
/// queue of its class if it has none; for a source, on its target; for any other object, on the
/// default global queue.
///
/// Source: Apple's documentation of `dispatch_set_finalizer_f`.
public func dispatch_set_finalizer_f(_ object: DispatchObject, _ finalizer: dispatch_function_t?) {
  object.attachment.setFinalizer(finalizer)
}
