// DataFunctions — the functions of <dispatch/data.h> that read data, join it and take parts.
//
// None of them copies bytes, except dispatch_data_create_map for data of several pieces.

import SignalboxDispatch
import SignalboxRuntime

/// How many bytes there are.
@_cdecl("dispatch_data_get_size")
package func dispatchDataGetSize(_ data: Handle?) -> Int {
  Handles.data(data, "dispatch_data_get_size")._withUnsafeGuaranteedRef { $0.data.count }
}

/// A further reference to the object itself.
private func same(_ handle: Handle?, _ object: DataObject) -> Handle {
  // SAFETY: every object is of this class.
  if object.data.count > 0 {
    Handles.retain(
      Unmanaged<DispatchObject>.fromOpaque(Unmanaged.passUnretained(object).toOpaque()))
  }
  return handle!
}

// MARK: Parts

/// Data of the bytes of both, in this order.
@_cdecl("dispatch_data_create_concat")
package func dispatchDataCreateConcat(_ first: Handle?, _ second: Handle?) -> Handle {
  let call: StaticString = "dispatch_data_create_concat"
  let (front, back) = (Handles.data(first, call), Handles.data(second, call))
  return front._withUnsafeGuaranteedRef { front in
    back._withUnsafeGuaranteedRef { back in
      if back.data.count == 0 { return same(first, front) }
      if front.data.count == 0 { return same(second, back) }
      var joined = front.data
      joined.append(back.data)
      return Handles.made(joined)
    }
  }
}

/// Data of the bytes from `offset` on, at most `length`; what is outside of the data is left out.
@_cdecl("dispatch_data_create_subrange")
package func dispatchDataCreateSubrange(
  _ data: Handle?, _ offset: Int, _ length: Int
) -> Handle {
  Handles.data(data, "dispatch_data_create_subrange")._withUnsafeGuaranteedRef { object in
    // The numbers are unsigned in C.
    let (count, offset) = (UInt(object.data.count), UInt(bitPattern: offset))
    if offset >= count { return Handles.made(.empty) }
    let taken = min(UInt(bitPattern: length), count - offset)
    if taken == count { return same(data, object) }
    return Handles.made(object.data.subdata(in: Int(offset)..<Int(offset + taken)))
  }
}

/// The contiguous bytes around `location`, with the index of the first one at `offset`; empty data
/// if `location` is behind the last byte.
@_cdecl("dispatch_data_copy_region")
package func dispatchDataCopyRegion(
  _ data: Handle?, _ location: Int, _ offset: UnsafeMutablePointer<Int>?
) -> Handle {
  let call: StaticString = "dispatch_data_copy_region"
  guard let offset else { clientBug("\(call) was called with NULL where an offset belongs.") }
  return Handles.data(data, call)._withUnsafeGuaranteedRef { object in
    let count = object.data.count
    if UInt(bitPattern: location) >= UInt(count) {
      offset.pointee = count
      return Handles.made(.empty)
    }
    let region = object.data.region(location: location)
    offset.pointee = region.offset
    return region.data.count == count ? same(data, object) : Handles.made(region.data)
  }
}

// MARK: Memory

/// Data of the same bytes in one stretch of memory, with its address at `buffer` and its size at
/// `size`. It is the same object, and the memory stays as long as the object lives.
///
/// *Differences*: it ends the program with a message if there is no memory for the copy.
@_cdecl("dispatch_data_create_map")
package func dispatchDataCreateMap(
  _ data: Handle?, _ buffer: UnsafeMutablePointer<UnsafeRawPointer?>?,
  _ size: UnsafeMutablePointer<Int>?
) -> Handle {
  Handles.data(data, "dispatch_data_create_map")._withUnsafeGuaranteedRef { object in
    buffer?.pointee = object.contiguousBytes
    size?.pointee = object.data.count
    return same(data, object)
  }
}

/// Calls a block with each contiguous part in order, until it returns false.
///
/// The block receives the part as data, which it has to retain to keep it, the index of the first
/// byte, and the part's address and size.
///
/// - Returns: whether no call returned false.
@_cdecl("dispatch_data_apply")
package func dispatchDataApply(_ data: Handle?, _ applier: UnsafeMutableRawPointer?) -> Bool {
  let block = Block(applier, "dispatch_data_apply")
  return apply(data, "dispatch_data_apply") { block($0, $1, $2, $3) }
}

/// The same with a function, which receives `context` first.
@_cdecl("dispatch_data_apply_f")
package func dispatchDataApplyFunction(
  _ data: Handle?, _ context: UnsafeMutableRawPointer?,
  _ applier: (
    @convention(c) (UnsafeMutableRawPointer?, Handle, Int, UnsafeRawPointer, Int) -> Bool
  )?
) -> Bool {
  let call: StaticString = "dispatch_data_apply_f"
  guard let applier else { clientBug("\(call) was called with NULL where a function belongs.") }
  return apply(data, call) { applier(context, $0, $1, $2, $3) }
}

private func apply(
  _ data: Handle?, _ call: StaticString,
  _ body: (Handle, Int, UnsafeRawPointer, Int) -> Bool
) -> Bool {
  // The caller's reference may end during a call.
  let object = Handles.data(data, call).takeUnretainedValue()  // SAFETY: the caller's reference.
  let count = object.data.count
  var location = 0
  while location < count {
    let (region, offset) = object.data.region(location: location)
    let isWhole = region.count == count
    let handle = isWhole ? same(data, object) : Handles.made(region)
    // A region is one piece, so it has a base address.
    let goesOn = region.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in
      body(handle, offset, bytes, region.count)
    }
    Handles.release(handle)
    if !goesOn { return false }
    location = offset + region.count
  }
  return true
}
