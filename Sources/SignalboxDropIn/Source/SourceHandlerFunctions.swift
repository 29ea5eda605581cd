// SourceHandlerFunctions — the functions of <dispatch/source.h> that set handlers. Each replaces
// the previous handler at once; NULL removes it.
//
// *Differences*: the toolchain's library replaces a handler of an active source once the source's
// pending items have run, and forbids it for a source with a mandatory cancel handler.

package import SignalboxDispatch
import SignalboxRuntime

/// Sets the block to call when an event comes.
@_cdecl("dispatch_source_set_event_handler")
package func dispatchSourceSetEventHandler(
  _ source: Handle?, _ handler: UnsafeMutableRawPointer?
) {
  set(.event, of: source, to: handler, "dispatch_source_set_event_handler")
}

/// Sets the function to call with the source's context when an event comes.
@_cdecl("dispatch_source_set_event_handler_f")
package func dispatchSourceSetEventFunction(_ source: Handle?, _ handler: dispatch_function_t?) {
  Handles.source(source, "dispatch_source_set_event_handler_f")._withUnsafeGuaranteedRef {
    $0.set(.event, handler)
  }
}

/// Sets the block to call once the source is cancelled.
@_cdecl("dispatch_source_set_cancel_handler")
package func dispatchSourceSetCancelHandler(
  _ source: Handle?, _ handler: UnsafeMutableRawPointer?
) {
  set(.cancel, of: source, to: handler, "dispatch_source_set_cancel_handler")
}

@_cdecl("dispatch_source_set_cancel_handler_f")
package func dispatchSourceSetCancelFunction(_ source: Handle?, _ handler: dispatch_function_t?) {
  Handles.source(source, "dispatch_source_set_cancel_handler_f")._withUnsafeGuaranteedRef {
    $0.set(.cancel, handler)
  }
}

/// Sets the block to call when the source begins to watch for events.
@_cdecl("dispatch_source_set_registration_handler")
package func dispatchSourceSetRegistrationHandler(
  _ source: Handle?, _ handler: UnsafeMutableRawPointer?
) {
  set(.registration, of: source, to: handler, "dispatch_source_set_registration_handler")
}

/// Sets the function to call with the source's context when the source begins to watch for
/// events.
@_cdecl("dispatch_source_set_registration_handler_f")
package func dispatchSourceSetRegistrationFunction(
  _ source: Handle?, _ handler: dispatch_function_t?
) {
  Handles.source(source, "dispatch_source_set_registration_handler_f")._withUnsafeGuaranteedRef {
    $0.set(.registration, handler)
  }
}

private func set(
  _ kind: DispatchSource.Handler, of source: Handle?, to handler: UnsafeMutableRawPointer?,
  _ call: StaticString
) {
  Handles.source(source, call)._withUnsafeGuaranteedRef { source in
    guard let handler else { return source.set(kind, nil as (() -> Void)?) }
    let block = Block(handler, call)
    if let item = block.workItem {
      item._withUnsafeGuaranteedRef { source.set(kind, $0) }
    } else {
      let closure = block.closure
      source.set(kind, { closure() })
    }
  }
}

// MARK: Mandatory cancel handlers

/// Sets the block to call once the source is cancelled. After this call, releasing
/// the source before it is cancelled traps.
@_cdecl("dispatch_source_set_mandatory_cancel_handler")
package func dispatchSourceSetMandatoryHandler(
  _ source: Handle?, _ handler: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_source_set_mandatory_cancel_handler"
  if handler != nil { demandCancel(source, call) }
  set(.cancel, of: source, to: handler, call)
}

/// The same with a function, which is called with the source's context.
@_cdecl("dispatch_source_set_mandatory_cancel_handler_f")
package func dispatchSourceSetMandatoryFunction(
  _ source: Handle?, _ handler: dispatch_function_t?
) {
  let call: StaticString = "dispatch_source_set_mandatory_cancel_handler_f"
  if handler != nil { demandCancel(source, call) }
  Handles.source(source, call)._withUnsafeGuaranteedRef { $0.set(.cancel, handler) }
}

private func demandCancel(_ source: Handle?, _ call: StaticString) {
  Handles.source(source, call)._withUnsafeGuaranteedRef { source in
    if !source.isInactive {
      clientBug("\(call) on the \(source.kindName), which is active: call it before that.")
    }
    source.mustCancel()
  }
}
