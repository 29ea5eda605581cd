// DispatchSource+Functions — sets C functions as handlers, under the names that C programs know.
// Each is called with the context of the source.

/// Sets the function to call with the source's context when an event occurs.
///
/// Source: Apple's documentation of `dispatch_source_set_event_handler_f`.
public func dispatch_source_set_event_handler_f(
  _ source: DispatchSource, _ handler: dispatch_function_t?
) {
  source.core.setEventHandler(SourceHandler.word(handler, of: source), .unspecified, [])
}

/// Sets the function to call with the source's context once the source is cancelled.
///
/// Source: Apple's documentation of `dispatch_source_set_cancel_handler_f`.
public func dispatch_source_set_cancel_handler_f(
  _ source: DispatchSource, _ handler: dispatch_function_t?
) {
  source.core.setCancelHandler(SourceHandler.word(handler, of: source))
}

/// Sets the function to call with the source's context when the source begins to watch for
/// events.
///
/// Source: Apple's documentation of `dispatch_source_set_registration_handler_f`.
public func dispatch_source_set_registration_handler_f(
  _ source: DispatchSource, _ handler: dispatch_function_t?
) {
  source.core.setRegistrationHandler(SourceHandler.word(handler, of: source))
}
