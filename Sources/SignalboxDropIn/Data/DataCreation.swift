// DataCreation — the functions of <dispatch/data.h> that make data from memory.

import CSignalboxDropIn
package import SignalboxDispatch
import SignalboxRuntime

/// Data of the bytes at `buffer`: copied, or used where they are if there is a destructor.
///
/// The destructor is submitted to `queue`, or to the default global queue for NULL, when nothing
/// needs the memory any more; at once if there are no bytes.
@_cdecl("dispatch_data_create")
package func dispatchDataCreate(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: Handle?,
  _ destructor: UnsafeMutableRawPointer?
) -> Handle {
  let call: StaticString = "dispatch_data_create"
  return make(buffer, size, queue, destructor, call) { Block(destructor, call).copied }
}

/// The same with a function as the destructor, which is called with `buffer`.
@_cdecl("dispatch_data_create_f")
package func dispatchDataCreateFunction(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: Handle?, _ destructor: dispatch_function_t?
) -> Handle {
  // SAFETY: only compared.
  let address = unsafeBitCast(destructor, to: UnsafeMutableRawPointer?.self)
  return make(buffer, size, queue, address, "dispatch_data_create_f") {
    FunctionCall(
      checked(destructor, "dispatch_data_create_f"), UnsafeMutableRawPointer(mutating: buffer))
  }
}

private func make(
  _ buffer: UnsafeRawPointer?, _ size: Int, _ queue: Handle?,
  _ address: UnsafeMutableRawPointer?, _ call: StaticString, _ custom: () -> FunctionCall
) -> Handle {
  if size < 0 { trapSize(size, call) }
  let bytes = UnsafeRawBufferPointer(start: buffer, count: buffer == nil ? 0 : size)
  let destructor: DataDestructor
  switch csd_destructor_at(address) {
  case CSD_DESTRUCTOR_DEFAULT: return Handles.made(DispatchData(bytes: bytes))
  case CSD_DESTRUCTOR_FREE: destructor = .free
  case CSD_DESTRUCTOR_MUNMAP: destructor = .unmap
  case CSD_DESTRUCTOR_NONE: destructor = .none
  default:
    // SAFETY: the caller's reference.
    destructor = .call(Handles.optionalQueue(queue, call)?.takeUnretainedValue(), custom())
  }
  return Handles.made(DispatchData(bytesNoCopy: bytes, destructor: destructor))
}

/// Data of `size` bytes. Stores the address of the bytes at `buffer`; the caller writes the bytes
/// there before it passes the data on.
@_cdecl("dispatch_data_create_alloc")
package func dispatchDataCreateAlloc(
  _ size: Int, _ buffer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Handle {
  if size < 0 { trapSize(size, "dispatch_data_create_alloc") }
  if size == 0 {
    buffer?.pointee = nil
    return Handles.made(.empty)
  }
  let (object, memory) = DataObject.withRoom(for: size)
  buffer?.pointee = memory
  return Handles.made(object)
}

@inline(never)
private func trapSize(_ size: Int, _ call: StaticString) -> Never {
  clientBug(
    "\(call) was called with a size of \(UInt(bitPattern: size)) bytes: no memory is so large.")
}

/// Called if a program calls one of the destructor constants.
@_cdecl("csd_destructor_called")
func trapCalledDestructor(_ block: UnsafeMutableRawPointer?) {
  let name =
    switch csd_destructor_at(block) {
    case CSD_DESTRUCTOR_FREE: "FREE"
    case CSD_DESTRUCTOR_MUNMAP: "MUNMAP"
    default: "NONE"
    }
  clientBug(
    "DISPATCH_DATA_DESTRUCTOR_\(name) was called: it only tells dispatch_data_create how to free "
      + "the memory.")
}
