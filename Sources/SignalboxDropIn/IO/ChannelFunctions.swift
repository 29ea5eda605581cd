// ChannelFunctions — the functions of <dispatch/io.h> on a channel: its operations, its limits and
// its end.

import CSignalbox
package import SignalboxDispatch
import SignalboxRuntime

// MARK: Reading

/// Reads `length` bytes, or all up to the end for SIZE_MAX, and calls the handler on `queue` with
/// each part; the last call has `done`.
@_cdecl("dispatch_io_read")
package func dispatchIORead(
  _ channel: Handle?, _ offset: Int, _ length: Int, _ queue: Handle?,
  _ handler: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_io_read"
  read(channel, offset, length, queue, IOHandlers.channel(handler, call), call)
}

/// The same with a function.
@_cdecl("dispatch_io_read_f")
package func dispatchIOReadFunction(
  _ channel: Handle?, _ offset: Int, _ length: Int, _ queue: Handle?,
  _ context: UnsafeMutableRawPointer?, _ handler: ChannelFunction?
) {
  let call: StaticString = "dispatch_io_read_f"
  read(channel, offset, length, queue, IOHandlers.channel(handler, context, call), call)
}

private func read(
  _ channel: Handle?, _ offset: Int, _ length: Int, _ queue: Handle?,
  _ handler: @escaping IOHandlers.Channel, _ call: StaticString
) {
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  Handles.channel(channel, call)._withUnsafeGuaranteedRef {
    $0.read(offset: offset, length: length, queue: queue, ioHandler: handler)
  }
}

// MARK: Writing

/// Writes the data and calls the handler on `queue` with what is left to write, the last time with
/// `done`.
@_cdecl("dispatch_io_write")
package func dispatchIOWrite(
  _ channel: Handle?, _ offset: Int, _ data: Handle?, _ queue: Handle?,
  _ handler: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_io_write"
  write(channel, offset, data, queue, IOHandlers.channel(handler, call), call)
}

/// The same with a function.
@_cdecl("dispatch_io_write_f")
package func dispatchIOWriteFunction(
  _ channel: Handle?, _ offset: Int, _ data: Handle?, _ queue: Handle?,
  _ context: UnsafeMutableRawPointer?, _ handler: ChannelFunction?
) {
  let call: StaticString = "dispatch_io_write_f"
  write(channel, offset, data, queue, IOHandlers.channel(handler, context, call), call)
}

private func write(
  _ channel: Handle?, _ offset: Int, _ data: Handle?, _ queue: Handle?,
  _ handler: @escaping IOHandlers.Channel, _ call: StaticString
) {
  let data = Handles.data(data, call)._withUnsafeGuaranteedRef(\.data)
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  Handles.channel(channel, call)._withUnsafeGuaranteedRef {
    $0.write(offset: offset, data: data, queue: queue, ioHandler: handler)
  }
}

// MARK: Barriers

/// Runs a block after all operations submitted before, on all channels of the descriptor, and
/// before all later ones.
@_cdecl("dispatch_io_barrier")
package func dispatchIOBarrier(_ channel: Handle?, _ barrier: UnsafeMutableRawPointer?) {
  let call: StaticString = "dispatch_io_barrier"
  let closure = Block(barrier, call).closure
  Handles.channel(channel, call)._withUnsafeGuaranteedRef { $0.barrier { closure() } }
}

/// The same with a function.
@_cdecl("dispatch_io_barrier_f")
package func dispatchIOBarrierFunction(
  _ channel: Handle?, _ context: UnsafeMutableRawPointer?, _ barrier: dispatch_function_t?
) {
  let call: StaticString = "dispatch_io_barrier_f"
  let barrier = checked(barrier, call)
  Handles.channel(channel, call)._withUnsafeGuaranteedRef { $0.barrier { barrier(context) } }
}

// MARK: The end

/// Ends the channel once its operations are over, or stops them first with DISPATCH_IO_STOP.
@_cdecl("dispatch_io_close")
package func dispatchIOClose(_ channel: Handle?, _ flags: UInt) {
  Handles.channel(channel, "dispatch_io_close")._withUnsafeGuaranteedRef {
    $0.close(flags: DispatchIO.CloseFlags(rawValue: flags))
  }
}

/// The descriptor; -1 after the end, and before a file is opened.
@_cdecl("dispatch_io_get_descriptor")
package func dispatchIOGetDescriptor(_ channel: Handle?) -> Int32 {
  Handles.channel(channel, "dispatch_io_get_descriptor")
    ._withUnsafeGuaranteedRef(\.fileDescriptor)
}

// MARK: Limits

/// Sets the most bytes that a handler receives at a time.
@_cdecl("dispatch_io_set_high_water")
package func dispatchIOSetHighWater(_ channel: Handle?, _ bytes: Int) {
  Handles.channel(channel, "dispatch_io_set_high_water")._withUnsafeGuaranteedRef {
    $0.setLimit(highWater: bytes)
  }
}

/// Sets the fewest bytes that a handler receives before its last call.
@_cdecl("dispatch_io_set_low_water")
package func dispatchIOSetLowWater(_ channel: Handle?, _ bytes: Int) {
  Handles.channel(channel, "dispatch_io_set_low_water")._withUnsafeGuaranteedRef {
    $0.setLimit(lowWater: bytes)
  }
}

/// Sets the interval in nanoseconds at which handlers are called.
@_cdecl("dispatch_io_set_interval")
package func dispatchIOSetInterval(_ channel: Handle?, _ interval: UInt64, _ flags: UInt) {
  Handles.channel(channel, "dispatch_io_set_interval")._withUnsafeGuaranteedRef {
    $0.setInterval(
      interval: .nanoseconds(Int(clamping: interval)),
      flags: DispatchIO.IntervalFlags(rawValue: flags))
  }
}
