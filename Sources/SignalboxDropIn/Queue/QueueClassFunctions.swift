// QueueClassFunctions — functions that give a queue a class of service or a label after it was
// made. The toolchain's library exports them, and its headers do not declare them.

package import SignalboxDispatch
import SignalboxRuntime

// MARK: Classes

/// Gives an inactive queue a class of service. Unknown classes and priorities change nothing.
///
/// *Differences*: it has no effect on sources, whose queue says how urgent they are.
@_cdecl("dispatch_set_qos_class")
package func dispatchSetClass(_ object: Handle?, _ qosClass: UInt32, _ relativePriority: Int32) {
  assign(qosClass, relativePriority, to: object, "dispatch_set_qos_class")
}

/// Gives an inactive queue a class of service. Less urgent items are served at that class too, as
/// with any class of a queue here.
@_cdecl("dispatch_set_qos_class_floor")
package func dispatchSetFloor(_ object: Handle?, _ qosClass: UInt32, _ relativePriority: Int32) {
  assign(qosClass, relativePriority, to: object, "dispatch_set_qos_class_floor")
}

/// Has no effect: an item without a class gets the class of the thread that submits it. Traps if
/// the queue is active.
@_cdecl("dispatch_set_qos_class_fallback")
package func dispatchSetFallback(_ object: Handle?, _ qosClass: UInt32) {
  _ = inactiveQueue(object, "dispatch_set_qos_class_fallback")
}

private func assign(
  _ qosClass: UInt32, _ relativePriority: Int32, to object: Handle?, _ call: StaticString
) {
  guard let queue = inactiveQueue(object, call),
    let qos = DispatchQoS(qosClass, relativePriority)
  else { return }
  queue.setQualityOfService(qos)
}

/// The queue; nil for a source. Traps if either is active, and for any other object.
private func inactiveQueue(_ object: Handle?, _ call: StaticString) -> DispatchQueue? {
  let (other, kind) = Handles.any(object, call)
  if kind == .source {
    // SAFETY: the kind says what it is.
    let source = Unmanaged<DispatchSource>.fromOpaque(other.toOpaque()).takeUnretainedValue()
    if !source.isInactive { trapActive(source.description, call) }
    return nil
  }
  let queue = Handles.queue(object, call).takeUnretainedValue()  // SAFETY: the caller's reference.
  if !queue.isInactive { trapActive(queue.description, call) }
  return queue
}

private func trapActive(_ object: String, _ call: StaticString) -> Never {
  clientBug(
    "\(call) on \(object), which is active: create it inactive, and activate it afterwards.")
}

/// Submits a function as an item that has the class of the submitting thread, even if that class is
/// above the queue's.
@_cdecl("dispatch_async_enforce_qos_class_f")
package func dispatchAsyncEnforced(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let call: StaticString = "dispatch_async_enforce_qos_class_f"
  let work = FunctionCall(checked(work, call), context)
  Handles.queue(queue, call)._withUnsafeGuaranteedRef { $0.submit(work, flags: .enforceQoS) }
}

// MARK: Labels

/// Gives a label for C code to a queue that was created without one; NULL removes it. Queues that
/// every program has keep their labels.
///
/// *Differences*: it copies the string. Reports use the label that the queue was created with,
/// which is empty.
@_cdecl("dispatch_queue_set_label_nocopy")
package func dispatchQueueSetLabel(_ queue: Handle?, _ label: UnsafePointer<CChar>?) {
  let call: StaticString = "dispatch_queue_set_label_nocopy"
  Handles.queue(queue, call)._withUnsafeGuaranteedRef { queue in
    if queue.isEverlasting { return }
    if !queue.label.isEmpty {
      clientBug(
        "\(call) on the queue \"\(queue.label)\": only a queue that was created without a label "
          + "can get one.")
    }
    guard let label else { return withUnsafePointer(to: 0) { queue.replaceLabel($0, count: 1) } }
    var count = 1
    while label[count - 1] != 0 { count += 1 }
    queue.replaceLabel(label, count: count)
  }
}
