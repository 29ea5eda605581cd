// QueueQuestions — the functions of <dispatch/queue.h> that query a queue or the current one.

package import SignalboxDispatch
import SignalboxRuntime

/// The label; with NULL, that of the queue that this code runs on.
@_cdecl("dispatch_queue_get_label")
package func dispatchQueueGetLabel(_ queue: Handle?) -> UnsafePointer<CChar> {
  // SAFETY: the caller's reference.
  __dispatch_queue_get_label(
    Handles.optionalQueue(queue, "dispatch_queue_get_label")?.takeUnretainedValue())
}

/// The class of service, and at `relativePriority` the priority within it.
@_cdecl("dispatch_queue_get_qos_class")
package func dispatchQueueGetClass(
  _ queue: Handle?, _ relativePriority: UnsafeMutablePointer<Int32>?
) -> UInt32 {
  let qos = Handles.queue(queue, "dispatch_queue_get_qos_class")._withUnsafeGuaranteedRef(\.qos)
  relativePriority?.pointee = Int32(clamping: qos.relativePriority)
  return qos.qosClass.rawValue.rawValue
}

/// The queue that this code runs on; outside of any, the main queue on the main thread and the
/// default global queue on others.
@_cdecl("dispatch_get_current_queue")
package func dispatchGetCurrentQueue() -> Handle { Handles.lent(DispatchQueue.currentOrDefault) }

/// Asks for a number of items that may run at once. It has no effect: a serial queue stays serial,
/// and a concurrent queue uses as many workers as the pool gives it. That is what negative numbers
/// ask for (all processors).
@_cdecl("dispatch_queue_set_width")
package func dispatchQueueSetWidth(_ queue: Handle?, _ width: Int) {
  Handles.queue(queue, "dispatch_queue_set_width")._withUnsafeGuaranteedRef { queue in
    if width >= 0 && queue.isConcurrent && width < Engine.current.pool.width {
      warn(
        "dispatch_queue_set_width(\(width)) on the queue \"\(queue.label)\" has no effect: use a "
          + "semaphore or a serial queue for fewer items at a time.")
    }
  }
}

// MARK: Specifics

/// Sets the queue's context for a key, or removes it.
@_cdecl("dispatch_queue_set_specific")
package func dispatchQueueSetSpecific(
  _ queue: Handle?, _ key: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?,
  _ destructor: dispatch_function_t?
) {
  guard let key else { return }
  Handles.queue(queue, "dispatch_queue_set_specific")._withUnsafeGuaranteedRef {
    $0.setSpecific(key, context, destructor)
  }
}

/// The queue's own context for a key.
@_cdecl("dispatch_queue_get_specific")
package func dispatchQueueGetSpecific(
  _ queue: Handle?, _ key: UnsafeRawPointer?
) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return Handles.queue(queue, "dispatch_queue_get_specific")._withUnsafeGuaranteedRef {
    $0.specific(key)
  }
}

/// The context for a key, from the queue that this code runs on or from its targets.
@_cdecl("dispatch_get_specific")
package func dispatchGetSpecific(_ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  key.flatMap { DispatchQueue.currentSpecific($0) }
}

// MARK: Assertions

/// Traps unless this code runs on the queue.
@_cdecl("dispatch_assert_queue")
package func dispatchAssertQueue(_ queue: Handle?) {
  let call: StaticString = "dispatch_assert_queue"
  expect(.onQueue(queueOf(queue, call)), call, "to be on")
}

/// Traps unless this code runs on the queue, and runs there alone.
@_cdecl("dispatch_assert_queue_barrier")
package func dispatchAssertQueueBarrier(_ queue: Handle?) {
  let call: StaticString = "dispatch_assert_queue_barrier"
  expect(.onQueueAsBarrier(queueOf(queue, call)), call, "to be alone on")
}

/// Traps if this code runs on the queue.
@_cdecl("dispatch_assert_queue_not")
package func dispatchAssertQueueNot(_ queue: Handle?) {
  let call: StaticString = "dispatch_assert_queue_not"
  expect(.notOnQueue(queueOf(queue, call)), call, "not to be on")
}

private func queueOf(_ queue: Handle?, _ call: StaticString) -> DispatchQueue {
  Handles.queue(queue, call).takeUnretainedValue()  // SAFETY: the caller's reference.
}

private func expect(_ condition: DispatchPredicate, _ call: StaticString, _ words: String) {
  if _dispatchPreconditionTest(condition) { return }
  let queue =
    switch condition {
    case .onQueue(let queue), .onQueueAsBarrier(let queue), .notOnQueue(let queue): queue
    }
  clientBug("\(call): this code was expected \(words) the queue \"\(queue.label)\".")
}
