// UnsupportedFunctions — functions that have a meaning only within the toolchain's library, or for
// CoreFoundation on Apple's systems. Calling one traps with its name.

import SignalboxRuntime

private func refuse(_ call: StaticString, _ reason: StaticString) -> Never {
  clientBug("\(call) is not available in Signalbox: \(reason).")
}

private let ofTheLibrary: StaticString = "it is internal to the toolchain's libdispatch"
private let forRunLoops: StaticString =
  "a queue cannot be bound to a run loop; perform the work on the run loop itself"
private let forVouchers: StaticString = "vouchers exist on Apple's systems only"

@_cdecl("_dispatch_wait_for_enqueuer")
package func dispatchWaitForEnqueuer(_ place: UnsafeMutableRawPointer?) {
  refuse("_dispatch_wait_for_enqueuer", ofTheLibrary)
}

@_cdecl("_os_object_alloc")
package func osObjectAlloc(_ type: UnsafeRawPointer?, _ size: Int) -> Handle? {
  refuse("_os_object_alloc", ofTheLibrary)
}

@_cdecl("_os_object_alloc_realized")
package func osObjectAllocRealized(_ type: UnsafeRawPointer?, _ size: Int) -> Handle? {
  refuse("_os_object_alloc_realized", ofTheLibrary)
}

@_cdecl("_os_object_dealloc")
package func osObjectDealloc(_ object: Handle?) { refuse("_os_object_dealloc", ofTheLibrary) }

@_cdecl("_dispatch_runloop_root_queue_create_4CF")
package func dispatchRunLoopQueueCreate(
  _ label: UnsafePointer<CChar>?, _ flags: UInt
) -> Handle? {
  refuse("_dispatch_runloop_root_queue_create_4CF", forRunLoops)
}

@_cdecl("_dispatch_runloop_root_queue_perform_4CF")
package func dispatchRunLoopQueuePerform(_ queue: Handle?) -> Bool {
  refuse("_dispatch_runloop_root_queue_perform_4CF", forRunLoops)
}

@_cdecl("_dispatch_runloop_root_queue_wakeup_4CF")
package func dispatchRunLoopQueueWakeUp(_ queue: Handle?) {
  refuse("_dispatch_runloop_root_queue_wakeup_4CF", forRunLoops)
}

/// The toolchain's traps, too.
@_cdecl("dispatch_queue_create_with_accounting_override_voucher")
package func dispatchQueueCreateWithVoucher(
  _ label: UnsafePointer<CChar>?, _ attributes: Handle?, _ voucher: Handle?
) -> Handle? {
  refuse("dispatch_queue_create_with_accounting_override_voucher", forVouchers)
}
