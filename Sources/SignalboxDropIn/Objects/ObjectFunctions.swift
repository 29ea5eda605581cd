// ObjectFunctions — the functions of <dispatch/object.h>: references, contexts, suspension,
// targets.
//
// dispatch_debug is in CSignalboxDropIn, because it takes variable arguments.

import CSignalbox
package import SignalboxDispatch
import SignalboxRuntime

// MARK: References

/// Counts one more reference. It has no effect on queues that every program has, nor on data
/// without bytes.
@_cdecl("dispatch_retain")
package func dispatchRetain(_ object: Handle?) {
  let (object, kind) = Handles.any(object, "dispatch_retain")
  if !isEverlasting(object, kind) { Handles.retain(object) }
}

/// Gives back one reference; the last one frees the object once its work is done.
@_cdecl("dispatch_release")
package func dispatchRelease(_ object: Handle?) {
  let (object, kind) = Handles.any(object, "dispatch_release")
  switch object._withUnsafeGuaranteedRef({ $0.handleForC.release() }) {
  case .kept: break
  case .last: endLastReference(object, kind)
  case .none:
    if isEverlasting(object, kind) { return }
    clientBug(
      "dispatch_release of \(object._withUnsafeGuaranteedRef(\.description)), to which C code has "
        + "no reference: it was released more often than it was retained.")
  }
}

private func endLastReference(
  _ object: Unmanaged<DispatchObject>, _ kind: ObjectHandle.Kind
) {
  // SAFETY: the kind says what it is, and the reference is C's.
  switch kind {
  case .queue:
    Unmanaged<DispatchQueue>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef {
      $0.releaseAfterSubmissions()
    }
  case .source: DispatchSource.giveUp(Unmanaged.fromOpaque(object.toOpaque()))
  default: object.release()
  }
}

/// Whether the object is a queue that every program has, or data without bytes.
@inline(__always)
private func isEverlasting(
  _ object: Unmanaged<DispatchObject>, _ kind: ObjectHandle.Kind
) -> Bool {
  // SAFETY: the kind says what it is.
  switch kind {
  case .queue:
    Unmanaged<DispatchQueue>.fromOpaque(object.toOpaque())
      ._withUnsafeGuaranteedRef(\.isEverlasting)
  case .data:
    Unmanaged<DataObject>.fromOpaque(object.toOpaque())
      ._withUnsafeGuaranteedRef { $0.data.count == 0 }
  default: false
  }
}

// MARK: Contexts

/// Attaches a context to the object. It has no effect on queues that every program has, nor on
/// data without bytes.
@_cdecl("dispatch_set_context")
package func dispatchSetContext(_ object: Handle?, _ context: UnsafeMutableRawPointer?) {
  let (object, kind) = Handles.any(object, "dispatch_set_context")
  if isEverlasting(object, kind) { return }
  object._withUnsafeGuaranteedRef { dispatch_set_context($0, context) }
}

/// The object's context; NULL if it has none.
@_cdecl("dispatch_get_context")
package func dispatchGetContext(_ object: Handle?) -> UnsafeMutableRawPointer? {
  Handles.any(object, "dispatch_get_context").object
    ._withUnsafeGuaranteedRef { dispatch_get_context($0) }
}

/// Sets the function that is called with the context once the object is freed. It has no effect
/// on queues that every program has, nor on data without bytes.
@_cdecl("dispatch_set_finalizer_f")
package func dispatchSetFinalizer(_ object: Handle?, _ finalizer: dispatch_function_t?) {
  let (object, kind) = Handles.any(object, "dispatch_set_finalizer_f")
  if isEverlasting(object, kind) { return }
  object._withUnsafeGuaranteedRef { dispatch_set_finalizer_f($0, finalizer) }
}

// MARK: Suspension

/// Activates an object that was created inactive.
@_cdecl("dispatch_activate")
package func dispatchActivate(_ object: Handle?) {
  startable(object, "dispatch_activate")._withUnsafeGuaranteedRef { $0.activate() }
}

/// Keeps a queue, source or channel from starting anything.
@_cdecl("dispatch_suspend")
package func dispatchSuspend(_ object: Handle?) {
  startable(object, "dispatch_suspend")._withUnsafeGuaranteedRef { $0.suspend() }
}

/// Undoes one suspension.
@_cdecl("dispatch_resume")
package func dispatchResume(_ object: Handle?) {
  startable(object, "dispatch_resume")._withUnsafeGuaranteedRef { $0.resume() }
}

/// An object that can be suspended. Traps for any other object.
private func startable(_ object: Handle?, _ call: StaticString) -> Unmanaged<DispatchObject> {
  let (object, kind) = Handles.any(object, call)
  switch kind {
  case .queue, .source, .channel: return object
  case .group, .semaphore, .data, .freed:
    clientBug(
      "\(call) was called with \(kind.words), which starts nothing: only queues, sources and "
        + "channels can be suspended.")
  }
}

// MARK: Targets

/// Sets the queue on which the object's work runs, or the default one for NULL.
///
/// *Differences*: the target of an active queue that `dispatch_queue_create` made may be changed
/// while the queue has items: it changes after the items that were submitted before the call.
@_cdecl("dispatch_set_target_queue")
package func dispatchSetTargetQueue(_ object: Handle?, _ queue: Handle?) {
  let call: StaticString = "dispatch_set_target_queue"
  let (object, kind) = Handles.any(object, call)
  let target = Handles.optionalQueue(queue, call)?.takeUnretainedValue()  // SAFETY: the caller's.
  switch kind {
  case .queue:
    // SAFETY: the kind says what it is.
    Unmanaged<DispatchQueue>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef {
      $0.retarget(to: target, call)
    }
  case .source, .channel:
    object._withUnsafeGuaranteedRef { $0.setTarget(queue: target ?? .global()) }
  case .group, .semaphore, .data, .freed: break
  }
}

// MARK: Debugging

/// What dispatch_debug does with its message.
@_cdecl("csd_debug")
func writeDebugMessage(_ object: Handle?, _ message: UnsafePointer<CChar>) {
  let words = Handles.any(object, "dispatch_debug").object._withUnsafeGuaranteedRef(\.description)
  warn("\(words): \(String(cString: message))")
}
