// ReplacedQueueFunctions — the C functions of queues, groups and semaphores. They cannot be
// called: each makes the compiler name its replacement in Swift.

/// In Swift: `DispatchQueue.init(label:qos:attributes:autoreleaseFrequency:target:)`.
@available(
  *, unavailable, renamed: "DispatchQueue.init(label:qos:attributes:autoreleaseFrequency:target:)"
)
public func dispatch_queue_create(_ label: Any?, _ attributes: Any?) {}

/// In Swift: `DispatchQueue.init(label:qos:attributes:autoreleaseFrequency:target:)`.
@available(
  *, unavailable, renamed: "DispatchQueue.init(label:qos:attributes:autoreleaseFrequency:target:)"
)
public func dispatch_queue_create_with_target(_ label: Any?, _ attributes: Any?, _ target: Any?) {}

/// In Swift: `DispatchQueue.Attributes.initiallyInactive`.
@available(*, unavailable, renamed: "DispatchQueue.Attributes.initiallyInactive")
public func dispatch_queue_attr_make_initially_inactive(_ attributes: Any?) {}

/// In Swift: `DispatchQueue.AutoreleaseFrequency.workItem`.
@available(*, unavailable, renamed: "DispatchQueue.AutoreleaseFrequency.workItem")
public func dispatch_queue_attr_make_with_autorelease_frequency(
  _ attributes: Any?, _ frequency: Any?
) {}

/// In Swift: `DispatchQoS.init(qosClass:relativePriority:)`.
@available(*, unavailable, renamed: "DispatchQoS.init(qosClass:relativePriority:)")
public func dispatch_queue_attr_make_with_qos_class(
  _ attributes: Any?, _ qosClass: Any?, _ relativePriority: Any?
) {}

/// In Swift: `DispatchQueue.label`.
@available(*, unavailable, renamed: "getter:DispatchQueue.label(self:)")
public func dispatch_queue_get_label(_ queue: Any?) {}

/// In Swift: `DispatchQueue.qos`.
@available(*, unavailable, renamed: "getter:DispatchQueue.qos(self:)")
public func dispatch_queue_get_qos_class(_ queue: Any?, _ relativePriority: Any?) {}

/// In Swift: `DispatchQueue.getSpecific(key:)`.
@available(*, unavailable, renamed: "DispatchQueue.getSpecific(self:key:)")
public func dispatch_queue_get_specific(_ queue: Any?, _ key: Any?) {}

/// In Swift: `DispatchQueue.setSpecific(key:value:)`.
@available(*, unavailable, renamed: "DispatchQueue.setSpecific(self:key:value:)")
public func dispatch_queue_set_specific(
  _ queue: Any?, _ key: Any?, _ value: Any?, _ destructor: Any?
) {}

/// In Swift: `DispatchQueue.getSpecific(key:)`.
@available(*, unavailable, renamed: "DispatchQueue.getSpecific(key:)")
public func dispatch_get_specific(_ key: Any?) {}

/// In Swift: `DispatchQueue.main`.
@available(*, unavailable, renamed: "getter:DispatchQueue.main()")
public func dispatch_get_main_queue() {}

/// In Swift: `DispatchQueue.global(qos:)`.
@available(*, unavailable, renamed: "DispatchQueue.global(qos:)")
public func dispatch_get_global_queue(_ identifier: Any?, _ flags: Any?) {}

/// In Swift: `DispatchObject.setTarget(queue:)`.
@available(*, unavailable, renamed: "DispatchObject.setTarget(self:queue:)")
public func dispatch_set_target_queue(_ object: Any?, _ queue: Any?) {}

/// In Swift: `dispatchMain()`.
@available(*, unavailable, renamed: "dispatchMain()")
public func dispatch_main() {}

/// In Swift: `dispatchPrecondition(condition:)`.
@available(*, unavailable, renamed: "dispatchPrecondition(condition:)")
public func dispatch_assert_queue(_ queue: Any?) {}

/// In Swift: `dispatchPrecondition(condition:)`.
@available(*, unavailable, renamed: "dispatchPrecondition(condition:)")
public func dispatch_assert_queue_barrier(_ queue: Any?) {}

/// In Swift: `dispatchPrecondition(condition:)`.
@available(*, unavailable, renamed: "dispatchPrecondition(condition:)")
public func dispatch_assert_queue_not(_ queue: Any?) {}

/// In Swift: `DispatchQueue.async(execute:)`.
@available(*, unavailable, renamed: "DispatchQueue.async(self:execute:)")
public func dispatch_async(_ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchQueue.sync(execute:)`.
@available(*, unavailable, renamed: "DispatchQueue.sync(self:execute:)")
public func dispatch_sync(_ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchQueue.asyncAfter(deadline:qos:flags:execute:)`.
@available(*, unavailable, renamed: "DispatchQueue.asyncAfter(self:deadline:qos:flags:execute:)")
public func dispatch_after(_ when: Any?, _ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchQueue.async(group:qos:flags:execute:)`.
@available(*, unavailable, renamed: "DispatchQueue.async(self:group:qos:flags:execute:)")
public func dispatch_barrier_async(_ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchQueue.sync(flags:execute:)`.
@available(*, unavailable, renamed: "DispatchQueue.sync(self:flags:execute:)")
public func dispatch_barrier_sync(_ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchOnce.init()`.
@available(*, unavailable, renamed: "DispatchOnce.init()")
public func dispatch_once(_ predicate: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchObject.suspend`.
@available(*, unavailable, renamed: "DispatchObject.suspend(self:)")
public func dispatch_suspend(_ object: Any?) {}

/// In Swift: `DispatchObject.resume`.
@available(*, unavailable, renamed: "DispatchObject.resume(self:)")
public func dispatch_resume(_ object: Any?) {}

/// In Swift: `DispatchObject.activate`.
@available(*, unavailable, renamed: "DispatchObject.activate(self:)")
public func dispatch_activate(_ object: Any?) {}

/// In Swift: `DispatchGroup.init()`.
@available(*, unavailable, renamed: "DispatchGroup.init()")
public func dispatch_group_create() {}

/// In Swift: `DispatchGroup.enter`.
@available(*, unavailable, renamed: "DispatchGroup.enter(self:)")
public func dispatch_group_enter(_ group: Any?) {}

/// In Swift: `DispatchGroup.leave`.
@available(*, unavailable, renamed: "DispatchGroup.leave(self:)")
public func dispatch_group_leave(_ group: Any?) {}

/// In Swift: `DispatchQueue.async(group:qos:flags:execute:)`.
@available(*, unavailable, renamed: "DispatchQueue.async(self:group:qos:flags:execute:)")
public func dispatch_group_async(_ group: Any?, _ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchGroup.notify(qos:flags:queue:execute:)`.
@available(*, unavailable, renamed: "DispatchGroup.notify(self:qos:flags:queue:execute:)")
public func dispatch_group_notify(_ group: Any?, _ queue: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchGroup.wait(timeout:)`.
@available(*, unavailable, renamed: "DispatchGroup.wait(self:timeout:)")
public func dispatch_group_wait(_ group: Any?, _ timeout: Any?) {}

/// In Swift: `DispatchSemaphore.init(value:)`.
@available(*, unavailable, renamed: "DispatchSemaphore.init(value:)")
public func dispatch_semaphore_create(_ value: Any?) {}

/// In Swift: `DispatchSemaphore.signal`.
@available(*, unavailable, renamed: "DispatchSemaphore.signal(self:)")
public func dispatch_semaphore_signal(_ semaphore: Any?) {}

/// In Swift: `DispatchSemaphore.wait(timeout:)`.
@available(*, unavailable, renamed: "DispatchSemaphore.wait(self:timeout:)")
public func dispatch_semaphore_wait(_ semaphore: Any?, _ timeout: Any?) {}

/// In Swift: `DispatchTime.now()`.
@available(*, unavailable, renamed: "DispatchTime.now()")
public func dispatch_time(_ when: Any?, _ delta: Any?) {}

/// In Swift: `DispatchWallTime.init(timespec:)`.
@available(*, unavailable, renamed: "DispatchWallTime.init(timespec:)")
public func dispatch_walltime(_ when: Any?, _ delta: Any?) {}
