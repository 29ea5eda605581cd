// ReadWriteFunctions — the functions of <dispatch/io.h> that need no channel.

import SignalboxDispatch
import SignalboxRuntime

/// Reads what is available, at most `length` bytes, and calls the handler once on `queue`.
@_cdecl("dispatch_read")
package func dispatchRead(
  _ descriptor: Int32, _ length: Int, _ queue: Handle?, _ handler: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_read"
  read(descriptor, length, queue, IOHandlers.once(handler, call), call)
}

/// The same with a function.
@_cdecl("dispatch_read_f")
package func dispatchReadFunction(
  _ descriptor: Int32, _ length: Int, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ handler: OnceFunction?
) {
  let call: StaticString = "dispatch_read_f"
  read(descriptor, length, queue, IOHandlers.once(handler, context, call), call)
}

private func read(
  _ descriptor: Int32, _ length: Int, _ queue: Handle?, _ handler: @escaping IOHandlers.Once,
  _ call: StaticString
) {
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  DispatchIO.read(
    fromFileDescriptor: descriptor, maxLength: length, runningHandlerOn: queue, handler: handler)
}

/// Writes all of the data and calls the handler once on `queue`, with what could not be written.
@_cdecl("dispatch_write")
package func dispatchWrite(
  _ descriptor: Int32, _ data: Handle?, _ queue: Handle?, _ handler: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_write"
  write(descriptor, data, queue, IOHandlers.once(handler, call), call)
}

/// The same with a function.
@_cdecl("dispatch_write_f")
package func dispatchWriteFunction(
  _ descriptor: Int32, _ data: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ handler: OnceFunction?
) {
  let call: StaticString = "dispatch_write_f"
  write(descriptor, data, queue, IOHandlers.once(handler, context, call), call)
}

private func write(
  _ descriptor: Int32, _ data: Handle?, _ queue: Handle?, _ handler: @escaping IOHandlers.Once,
  _ call: StaticString
) {
  let data = Handles.data(data, call)._withUnsafeGuaranteedRef(\.data)
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  DispatchIO.write(
    toFileDescriptor: descriptor, data: data, runningHandlerOn: queue, handler: handler)
}
