// WorkloopFunctions — workloops, which the toolchain's library exports and its headers do not
// declare.

import SignalboxDispatch
import SignalboxRuntime

/// A new workloop.
@_cdecl("dispatch_workloop_create")
package func dispatchWorkloopCreate(_ label: UnsafePointer<CChar>?) -> Handle {
  Handles.made(DispatchWorkloop(label: label.map { String(cString: $0) } ?? ""))
}

/// A new workloop that starts nothing before dispatch_activate.
@_cdecl("dispatch_workloop_create_inactive")
package func dispatchWorkloopCreateInactive(_ label: UnsafePointer<CChar>?) -> Handle {
  let label = label.map { String(cString: $0) } ?? ""
  return Handles.made(DispatchWorkloop(label: label, attributes: .initiallyInactive))
}

// MARK: The current one

/// The workloop that this code runs on, directly or through queues that target it, with a
/// reference for the caller; NULL if there is none.
@_cdecl("dispatch_workloop_copy_current")
package func dispatchWorkloopCopyCurrent() -> Handle? {
  guard let workloop = DispatchQueue.currentWorkloop else { return nil }
  // SAFETY: the reference is C's.
  Handles.retain(Unmanaged<DispatchObject>.fromOpaque(Handles.lent(workloop)))
  return Handles.lent(workloop)
}

/// Whether this code runs on the workloop, directly or through queues that target it.
@_cdecl("dispatch_workloop_is_current")
package func dispatchWorkloopIsCurrent(_ workloop: Handle?) -> Bool {
  let workloop = workloopAt(workloop, "dispatch_workloop_is_current")
  return _dispatchPreconditionTest(.onQueue(workloop))
}

/// Whether the item that runs on the current workloop should end soon so that others can run.
/// Always false: the workloop takes the most urgent item next in any case.
@_cdecl("_dispatch_workloop_should_yield_4NW")
package func dispatchWorkloopShouldYield() -> Bool { false }

// MARK: Before activation

/// Gives an inactive workloop a class of service. The flags have no meaning.
@_cdecl("dispatch_workloop_set_qos_class")
package func dispatchWorkloopSetClass(_ workloop: Handle?, _ qosClass: UInt32, _ flags: UInt) {
  assign(qosClass, 0, to: workloop, "dispatch_workloop_set_qos_class")
}

/// The same with a priority within the class. Less urgent items are served at that class too.
@_cdecl("dispatch_workloop_set_qos_class_floor")
package func dispatchWorkloopSetFloor(
  _ workloop: Handle?, _ qosClass: UInt32, _ relativePriority: Int32, _ flags: UInt
) {
  assign(qosClass, relativePriority, to: workloop, "dispatch_workloop_set_qos_class_floor")
}

/// Has no effect, because Linux has no autorelease pools. Traps if the workloop is active.
@_cdecl("dispatch_workloop_set_autorelease_frequency")
package func dispatchWorkloopSetAutorelease(_ workloop: Handle?, _ frequency: UInt) {
  _ = inactive(workloop, "dispatch_workloop_set_autorelease_frequency")
}

/// Has no effect, because no thread's share of a processor is limited. Traps if the workloop is
/// active.
@_cdecl("dispatch_workloop_set_cpupercent")
package func dispatchWorkloopSetPercent(_ workloop: Handle?, _ percent: UInt8, _ refill: UInt32) {
  _ = inactive(workloop, "dispatch_workloop_set_cpupercent")
}

private func assign(
  _ qosClass: UInt32, _ relativePriority: Int32, to workloop: Handle?, _ call: StaticString
) {
  let workloop = inactive(workloop, call)
  if let qos = DispatchQoS(qosClass, relativePriority) { workloop.setQualityOfService(qos) }
}

private func inactive(_ workloop: Handle?, _ call: StaticString) -> DispatchWorkloop {
  let workloop = workloopAt(workloop, call)
  if !workloop.isInactive {
    clientBug(
      "\(call) on the workloop \"\(workloop.label)\", which is active: create it with "
        + "dispatch_workloop_create_inactive, and activate it afterwards.")
  }
  return workloop
}

private func workloopAt(_ handle: Handle?, _ call: StaticString) -> DispatchWorkloop {
  // SAFETY: the caller's reference.
  let queue = Handles.queue(handle, call).takeUnretainedValue()
  guard let workloop = queue.asWorkloop else {
    clientBug("\(call) on the queue \"\(queue.label)\", which is not a workloop.")
  }
  return workloop
}
