// DataObject — data as an object, which the C interface needs because C code counts references.
//
// Touching    immutable.

import SignalboxRuntime

package final class DataObject: DispatchObject, @unchecked Sendable {  // SAFETY: see Touching.
  package let data: DispatchData

  package init(_ data: DispatchData) {
    self.data = data
    super.init(.data)
  }

  /// The object for all data without bytes. No other object is empty.
  package static let empty = DataObject(.empty)

  package override var description: String { "<data of \(data.count) bytes>" }

  // MARK: The memory

  /// The address of all bytes in one stretch of memory, valid as long as the object lives; nil
  /// without bytes. Data of several pieces is copied the first time.
  package var contiguousBytes: UnsafeRawPointer? {
    data.count == 0 ? nil : data.base ?? data.rope!.flattened()
  }

  /// Memory for `count` bytes, at least one, to be written before any thread reads the data.
  package static func withRoom(
    for count: Int
  ) -> (object: DataObject, memory: UnsafeMutableRawPointer) {
    let (piece, memory) = DataBuffer.room(for: count)
    return (DataObject(DispatchData(piece)), memory)
  }
}
