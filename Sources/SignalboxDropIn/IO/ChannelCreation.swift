// ChannelCreation — the functions of <dispatch/io.h> that make channels.
//
// Each returns NULL for an unknown type. A descriptor or file that cannot be used makes a channel
// whose cleanup handler receives the error. The cleanup handler may be NULL, as in the toolchain.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

// MARK: For a descriptor

/// A channel for a descriptor, which the system controls until the cleanup handler is called.
@_cdecl("dispatch_io_create")
package func dispatchIOCreate(
  _ type: UInt, _ descriptor: Int32, _ queue: Handle?, _ cleanup: UnsafeMutableRawPointer?
) -> Handle? {
  let call: StaticString = "dispatch_io_create"
  return make(type, queue, IOHandlers.cleanup(cleanup, call), call) {
    DispatchIO(type: $0, fileDescriptor: descriptor, queue: $1, cleanupHandler: $2)
  }
}

/// The same with a function.
@_cdecl("dispatch_io_create_f")
package func dispatchIOCreateFunction(
  _ type: UInt, _ descriptor: Int32, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ cleanup: CleanupFunction?
) -> Handle? {
  make(type, queue, IOHandlers.cleanup(cleanup, context), "dispatch_io_create_f") {
    DispatchIO(type: $0, fileDescriptor: descriptor, queue: $1, cleanupHandler: $2)
  }
}

// MARK: For a file

/// A channel for the file at an absolute path; NULL for a relative path. The first operation opens
/// the file, and the file is closed when the channel ends.
@_cdecl("dispatch_io_create_with_path")
package func dispatchIOCreateWithPath(
  _ type: UInt, _ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: UInt32, _ queue: Handle?,
  _ cleanup: UnsafeMutableRawPointer?
) -> Handle? {
  let call: StaticString = "dispatch_io_create_with_path"
  let path = checked(path, call)
  return make(type, queue, IOHandlers.cleanup(cleanup, call), call) {
    DispatchIO(type: $0, path: path, oflag: flags, mode: mode, queue: $1, cleanupHandler: $2)
  }
}

/// The same with a function.
@_cdecl("dispatch_io_create_with_path_f")
package func dispatchIOCreateWithPathFunction(
  _ type: UInt, _ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: UInt32, _ queue: Handle?,
  _ context: UnsafeMutableRawPointer?, _ cleanup: CleanupFunction?
) -> Handle? {
  let call: StaticString = "dispatch_io_create_with_path_f"
  let path = checked(path, call)
  return make(type, queue, IOHandlers.cleanup(cleanup, context), call) {
    DispatchIO(type: $0, path: path, oflag: flags, mode: mode, queue: $1, cleanupHandler: $2)
  }
}

private func checked(
  _ path: UnsafePointer<CChar>?, _ call: StaticString
) -> UnsafePointer<CChar> {
  guard let path else { clientBug("\(call) was called with NULL where a path belongs.") }
  return path
}

// MARK: For another channel

/// A channel for the descriptor of `channel`, or for its file, which is then opened once more.
@_cdecl("dispatch_io_create_with_io")
package func dispatchIOCreateWithIO(
  _ type: UInt, _ channel: Handle?, _ queue: Handle?, _ cleanup: UnsafeMutableRawPointer?
) -> Handle? {
  let call: StaticString = "dispatch_io_create_with_io"
  // SAFETY: the caller's reference.
  let other = Handles.channel(channel, call).takeUnretainedValue()
  return make(type, queue, IOHandlers.cleanup(cleanup, call), call) {
    DispatchIO(type: $0, io: other, queue: $1, cleanupHandler: $2)
  }
}

/// The same with a function.
@_cdecl("dispatch_io_create_with_io_f")
package func dispatchIOCreateWithIOFunction(
  _ type: UInt, _ channel: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ cleanup: CleanupFunction?
) -> Handle? {
  let call: StaticString = "dispatch_io_create_with_io_f"
  // SAFETY: the caller's reference.
  let other = Handles.channel(channel, call).takeUnretainedValue()
  return make(type, queue, IOHandlers.cleanup(cleanup, context), call) {
    DispatchIO(type: $0, io: other, queue: $1, cleanupHandler: $2)
  }
}

// MARK: All

private func make(
  _ type: UInt, _ queue: Handle?, _ cleanup: IOHandlers.Cleanup?, _ call: StaticString,
  _ make: (DispatchIO.StreamType, DispatchQueue, @escaping IOHandlers.Cleanup) -> DispatchIO?
) -> Handle? {
  guard let type = DispatchIO.StreamType(rawValue: type) else { return nil }
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  return make(type, queue, cleanup ?? { _ in }).map { Handles.made($0) }
}
