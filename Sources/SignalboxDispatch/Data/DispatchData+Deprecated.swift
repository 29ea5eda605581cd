// DispatchData+Deprecated — the older forms with typed pointers, which the forms with raw buffers
// replace.

extension DispatchData {
  /// Creates data with a copy of the bytes.
  @available(swift, deprecated: 4, message: "Use init(bytes: UnsafeRawBufferPointer) instead")
  public init(bytes buffer: UnsafeBufferPointer<UInt8>) {
    self.init(bytes: UnsafeRawBufferPointer(buffer))
  }

  /// Creates data from the bytes themselves, which must not change from here on.
  @available(
    swift, deprecated: 4,
    message: "Use init(bytesNoCopy: UnsafeRawBufferPointer, deallocater: Deallocator) instead"
  )
  public init(
    bytesNoCopy bytes: UnsafeBufferPointer<UInt8>, deallocator: DispatchData.Deallocator = .free
  ) {
    self.init(bytesNoCopy: UnsafeRawBufferPointer(bytes), deallocator: deallocator)
  }

  /// Appends a copy of `count` bytes.
  @available(swift, deprecated: 4, message: "Use append(_: UnsafeRawBufferPointer) instead")
  public mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {
    if count < 0 { isNoCount(count, "append(_:count:)") }
    append(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Copies the first `count` bytes to memory with room for them.
  @available(
    swift, deprecated: 4,
    message: "Use copyBytes(to: UnsafeMutableRawBufferPointer, count: Int) instead"
  )
  public func copyBytes(to pointer: UnsafeMutablePointer<UInt8>, count: Int) {
    if count < 0 { isNoCount(count, "copyBytes(to:count:)") }
    copyBytes(to: UnsafeMutableRawBufferPointer(start: pointer, count: count), count: count)
  }

  /// Copies the bytes of a range to memory with room for them.
  @available(
    swift, deprecated: 4,
    message: "Use copyBytes(to: UnsafeMutableRawBufferPointer, from: Range<Index>) instead"
  )
  public func copyBytes(to pointer: UnsafeMutablePointer<UInt8>, from range: Range<Index>) {
    copyBytes(to: UnsafeMutableRawBufferPointer(start: pointer, count: range.count), from: range)
  }
}
