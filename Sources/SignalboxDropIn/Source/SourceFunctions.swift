// SourceFunctions — the functions of <dispatch/source.h> that cancel a source, query it, and give
// it data.

import SignalboxDispatch
import SignalboxRuntime

// MARK: Cancelling

/// Cancels the source: no event handler begins any more, and the cancel handler is called.
@_cdecl("dispatch_source_cancel")
package func dispatchSourceCancel(_ source: Handle?) {
  Handles.source(source, "dispatch_source_cancel")._withUnsafeGuaranteedRef { $0.cancelFromC() }
}

/// Ends the source, and waits until no handler runs and nothing is watched any more. An inactive
/// source is activated, so it may be released.
///
/// It traps for a source that has a cancel handler or is suspended, and in a handler of the
/// source.
@_cdecl("dispatch_source_cancel_and_wait")
package func dispatchSourceCancelAndWait(_ source: Handle?) {
  let call: StaticString = "dispatch_source_cancel_and_wait"
  Handles.source(source, call)._withUnsafeGuaranteedRef { $0.cancelAndWait(call) }
}

/// Whether the source was cancelled: 1 or 0.
@_cdecl("dispatch_source_testcancel")
package func dispatchSourceTestCancel(_ source: Handle?) -> Int {
  Handles.source(source, "dispatch_source_testcancel")._withUnsafeGuaranteedRef {
    $0.isCancelled ? 1 : 0
  }
}

// MARK: Questions

/// What the source was made for: a descriptor, a signal, a process; 0 for others.
@_cdecl("dispatch_source_get_handle")
package func dispatchSourceGetHandle(_ source: Handle?) -> UInt {
  Handles.source(source, "dispatch_source_get_handle")._withUnsafeGuaranteedRef { $0.handle }
}

/// The mask that the source was made with.
@_cdecl("dispatch_source_get_mask")
package func dispatchSourceGetMask(_ source: Handle?) -> UInt {
  Handles.source(source, "dispatch_source_get_mask")._withUnsafeGuaranteedRef { $0.mask }
}

/// The data of the event that the handler was called for last.
@_cdecl("dispatch_source_get_data")
package func dispatchSourceGetData(_ source: Handle?) -> UInt {
  Handles.source(source, "dispatch_source_get_data")._withUnsafeGuaranteedRef { $0.data }
}

/// Writes the data, and a status that is always 0, to the record at `data`, as far as they fit.
/// Returns how many bytes are valid.
@_cdecl("dispatch_source_get_extended_data")
package func dispatchSourceGetExtendedData(
  _ source: Handle?, _ data: UnsafeMutableRawPointer?, _ size: Int
) -> Int {
  let call: StaticString = "dispatch_source_get_extended_data"
  let value = Handles.source(source, call)._withUnsafeGuaranteedRef { $0.data }
  guard size > 0 else { return 0 }
  guard let data else { clientBug("\(call) was called with NULL where a record belongs.") }
  let record = UnsafeMutableRawBufferPointer(start: data, count: size)
  record.initializeMemory(as: UInt8.self, repeating: 0)
  withUnsafeBytes(of: value) { record.copyBytes(from: $0.prefix(size)) }
  return min(size, 2 * MemoryLayout<UInt>.size)
}

// MARK: Data

/// Merges a value into a data source: combines it with the values that the handler has not received
/// yet.
@_cdecl("dispatch_source_merge_data")
package func dispatchSourceMergeData(_ source: Handle?, _ value: UInt) {
  let call: StaticString = "dispatch_source_merge_data"
  Handles.source(source, call)._withUnsafeGuaranteedRef { source in
    if !source.takesData {
      clientBug("\(call) on the \(source.kindName): only data sources take values.")
    }
    source.merge(value)
  }
}
