// ReplacedDataFunctions — the C functions of data and IO. They cannot be called: each makes the
// compiler name its replacement in Swift.

/// In Swift: `DispatchData.init(bytes:)`.
@available(*, unavailable, renamed: "DispatchData.init(bytes:)")
public func dispatch_data_create(_ buffer: Any?, _ size: Any?, _ queue: Any?, _ destructor: Any?) {}

/// In Swift: `DispatchData.append(_:)`.
@available(*, unavailable, renamed: "DispatchData.append(self:_:)")
public func dispatch_data_create_concat(_ first: Any?, _ second: Any?) {}

/// In Swift: `DispatchData.withUnsafeBytes(body:)`.
@available(*, unavailable, renamed: "DispatchData.withUnsafeBytes(self:body:)")
public func dispatch_data_create_map(_ data: Any?, _ buffer: Any?, _ size: Any?) {}

/// In Swift: `DispatchData.subdata(in:)`.
@available(*, unavailable, renamed: "DispatchData.subdata(self:in:)")
public func dispatch_data_create_subrange(_ data: Any?, _ offset: Any?, _ length: Any?) {}

/// In Swift: `DispatchData.region(location:)`.
@available(*, unavailable, renamed: "DispatchData.region(self:location:)")
public func dispatch_data_copy_region(_ data: Any?, _ location: Any?, _ offset: Any?) {}

/// In Swift: `DispatchData.count`.
@available(*, unavailable, renamed: "getter:DispatchData.count(self:)")
public func dispatch_data_get_size(_ data: Any?) {}

/// In Swift: `DispatchData.enumerateBytes(_:)`.
@available(*, unavailable, renamed: "DispatchData.enumerateBytes(self:_:)")
public func dispatch_data_apply(_ data: Any?, _ applier: Any?) {}

/// In Swift: `DispatchIO.read(fromFileDescriptor:maxLength:runningHandlerOn:handler:)`.
@available(
  *, unavailable, renamed: "DispatchIO.read(fromFileDescriptor:maxLength:runningHandlerOn:handler:)"
)
public func dispatch_read(_ descriptor: Any?, _ length: Any?, _ queue: Any?, _ handler: Any?) {}

/// In Swift: `DispatchIO.write(toFileDescriptor:data:runningHandlerOn:handler:)`.
@available(
  *, unavailable, renamed: "DispatchIO.write(toFileDescriptor:data:runningHandlerOn:handler:)"
)
public func dispatch_write(_ descriptor: Any?, _ data: Any?, _ queue: Any?, _ handler: Any?) {}

/// In Swift: `DispatchIO.init(type:fileDescriptor:queue:cleanupHandler:)`.
@available(*, unavailable, renamed: "DispatchIO.init(type:fileDescriptor:queue:cleanupHandler:)")
public func dispatch_io_create(
  _ type: Any?, _ descriptor: Any?, _ queue: Any?, _ cleanupHandler: Any?
) {}

/// In Swift: `DispatchIO.init(type:io:queue:cleanupHandler:)`.
@available(*, unavailable, renamed: "DispatchIO.init(type:io:queue:cleanupHandler:)")
public func dispatch_io_create_with_io(
  _ type: Any?, _ io: Any?, _ queue: Any?, _ cleanupHandler: Any?
) {}

/// In Swift: `DispatchIO.init(type:path:oflag:mode:queue:cleanupHandler:)`.
@available(*, unavailable, renamed: "DispatchIO.init(type:path:oflag:mode:queue:cleanupHandler:)")
public func dispatch_io_create_with_path(
  _ type: Any?, _ path: Any?, _ flags: Any?, _ mode: Any?, _ queue: Any?, _ cleanupHandler: Any?
) {}

/// In Swift: `DispatchIO.read(offset:length:queue:ioHandler:)`.
@available(*, unavailable, renamed: "DispatchIO.read(self:offset:length:queue:ioHandler:)")
public func dispatch_io_read(
  _ channel: Any?, _ offset: Any?, _ length: Any?, _ queue: Any?, _ handler: Any?
) {}

/// In Swift: `DispatchIO.write(offset:data:queue:ioHandler:)`.
@available(*, unavailable, renamed: "DispatchIO.write(self:offset:data:queue:ioHandler:)")
public func dispatch_io_write(
  _ channel: Any?, _ offset: Any?, _ data: Any?, _ queue: Any?, _ handler: Any?
) {}

/// In Swift: `DispatchIO.barrier(execute:)`.
@available(*, unavailable, renamed: "DispatchIO.barrier(self:execute:)")
public func dispatch_io_barrier(_ channel: Any?, _ block: () -> Void) {}

/// In Swift: `DispatchIO.close(flags:)`.
@available(*, unavailable, renamed: "DispatchIO.close(self:flags:)")
public func dispatch_io_close(_ channel: Any?, _ flags: Any?) {}

/// In Swift: `DispatchIO.setInterval(interval:flags:)`.
@available(*, unavailable, renamed: "DispatchIO.setInterval(self:interval:flags:)")
public func dispatch_io_set_interval(_ channel: Any?, _ interval: Any?, _ flags: Any?) {}

/// In Swift: `DispatchIO.setLimit(highWater:)`.
@available(*, unavailable, renamed: "DispatchIO.setLimit(self:highWater:)")
public func dispatch_io_set_high_water(_ channel: Any?, _ mark: Any?) {}

/// In Swift: `DispatchIO.setLimit(lowWater:)`.
@available(*, unavailable, renamed: "DispatchIO.setLimit(self:lowWater:)")
public func dispatch_io_set_low_water(_ channel: Any?, _ mark: Any?) {}
