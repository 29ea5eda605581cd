// QueueCreation — the functions of <dispatch/queue.h> that make queues and find the global ones.

import SignalboxDispatch
import SignalboxRuntime

/// A new queue without a target. C code may give it a target later, even though it is active.
@_cdecl("dispatch_queue_create")
package func dispatchQueueCreate(_ label: UnsafePointer<CChar>?, _ attributes: Handle?) -> Handle {
  let attributes = QueueAttributes(at: attributes, "dispatch_queue_create")
  if attributes.isInactive { return make(label, attributes, target: nil) }
  let queue = DispatchQueue.makeRetargetable(
    label: text(label), qos: attributes.qos, isConcurrent: attributes.isConcurrent)
  return finished(queue, label)
}

/// A new queue with a target, or without one for NULL.
@_cdecl("dispatch_queue_create_with_target")
package func dispatchQueueCreateWithTarget(
  _ label: UnsafePointer<CChar>?, _ attributes: Handle?, _ target: Handle?
) -> Handle {
  if let given = GivenObject.take(.queue) { return given }
  OverlayQueue.prepare()
  let call: StaticString = "dispatch_queue_create_with_target"
  // SAFETY: the caller's reference.
  let target = Handles.optionalQueue(target, call)?.takeUnretainedValue()
  return make(label, QueueAttributes(at: attributes, call), target: target)
}

private func make(
  _ label: UnsafePointer<CChar>?, _ attributes: QueueAttributes, target: DispatchQueue?
) -> Handle {
  var options: DispatchQueue.Attributes = []
  if attributes.isConcurrent { options.insert(.concurrent) }
  if attributes.isInactive { options.insert(.initiallyInactive) }
  let queue = DispatchQueue(
    label: text(label), qos: attributes.qos, attributes: options, target: target)
  return finished(queue, label)
}

private func text(_ label: UnsafePointer<CChar>?) -> String {
  label.map { String(cString: $0) } ?? ""
}

/// Makes the queue's handle. If the label is not valid UTF-8, C code still gets its original bytes.
private func finished(_ queue: DispatchQueue, _ label: UnsafePointer<CChar>?) -> Handle {
  if let label {
    var count = 0
    while label[count] != 0 { count += 1 }
    let bytes = UnsafeRawBufferPointer(start: label, count: count)
    if !queue.label.utf8.elementsEqual(bytes) { queue.keepLabel(label, count: count + 1) }
  }
  return Handles.made(queue)
}

// MARK: Global queues

/// The global queue of a class or of an old priority; NULL if there is none, or for unknown
/// flags. Queues that overcommit are the same queues: the pool replaces every blocked worker.
@_cdecl("dispatch_get_global_queue")
package func dispatchGetGlobalQueue(_ identifier: Int, _ flags: UInt) -> Handle? {
  let overcommit: UInt = 2
  guard flags & ~overcommit == 0, let qosClass = globalClass(identifier) else { return nil }
  return Handles.lent(DispatchQueue.global(qos: qosClass))
}

private func globalClass(_ identifier: Int) -> DispatchQoS.QoSClass? {
  switch identifier {
  case 2: .userInitiated
  case 0: .default
  case -2: .utility
  case Int(Int16.min): .background
  default: UInt32(exactly: identifier).flatMap { DispatchQoS.QoSClass(number: $0) }
  }
}
