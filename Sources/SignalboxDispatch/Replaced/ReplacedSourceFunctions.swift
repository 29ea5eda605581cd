// ReplacedSourceFunctions — the C functions of sources. They cannot be called: each makes the
// compiler name its replacement in Swift.

/// In Swift: ``DispatchSource``.
@available(
  *, unavailable,
  message: "Use the class methods of DispatchSource, such as makeReadSource(fileDescriptor:queue:)"
)
public func dispatch_source_create(_ type: Any?, _ handle: Any?, _ mask: Any?, _ queue: Any?) {}

/// In Swift: `DispatchSourceProtocol.cancel`.
@available(*, unavailable, renamed: "DispatchSourceProtocol.cancel(self:)")
public func dispatch_source_cancel(_ source: Any?) {}

/// In Swift: `DispatchSourceProtocol.isCancelled`.
@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.isCancelled(self:)")
public func dispatch_source_testcancel(_ source: Any?) {}

/// In Swift: `DispatchSourceProtocol.data`.
@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.data(self:)")
public func dispatch_source_get_data(_ source: Any?) {}

/// In Swift: `DispatchSourceProtocol.handle`.
@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.handle(self:)")
public func dispatch_source_get_handle(_ source: Any?) {}

/// In Swift: `DispatchSourceProtocol.mask`.
@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.mask(self:)")
public func dispatch_source_get_mask(_ source: Any?) {}

/// In Swift: `DispatchSourceUserDataAdd.add(data:)`.
@available(*, unavailable, renamed: "DispatchSourceUserDataAdd.add(self:data:)")
public func dispatch_source_merge_data(_ source: Any?, _ value: Any?) {}

/// In Swift: `DispatchSourceProtocol.setEventHandler(qos:flags:handler:)`.
@available(
  *, unavailable, renamed: "DispatchSourceProtocol.setEventHandler(self:qos:flags:handler:)"
)
public func dispatch_source_set_event_handler(_ source: Any?, _ handler: () -> Void) {}

/// In Swift: `DispatchSourceProtocol.setCancelHandler(qos:flags:handler:)`.
@available(
  *, unavailable, renamed: "DispatchSourceProtocol.setCancelHandler(self:qos:flags:handler:)"
)
public func dispatch_source_set_cancel_handler(_ source: Any?, _ handler: () -> Void) {}

/// In Swift: `DispatchSourceProtocol.setRegistrationHandler(qos:flags:handler:)`.
@available(
  *, unavailable, renamed: "DispatchSourceProtocol.setRegistrationHandler(self:qos:flags:handler:)"
)
public func dispatch_source_set_registration_handler(_ source: Any?, _ handler: () -> Void) {}

/// In Swift: `DispatchSourceTimer.schedule(deadline:repeating:leeway:)`.
@available(*, unavailable, renamed: "DispatchSourceTimer.schedule(self:deadline:repeating:leeway:)")
public func dispatch_source_set_timer(
  _ source: Any?, _ start: Any?, _ interval: Any?, _ leeway: Any?
) {}
