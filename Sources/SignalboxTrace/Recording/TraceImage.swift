// TraceImage — reads numbers and texts from untrusted bytes, with bounds
// checks.

/// Reads little-endian numbers and texts from untrusted bytes. The caller
/// checks first that the offset is within the image; a read beyond the end
/// traps in the buffer's own check.
struct TraceImage {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count }

  func begins(with magic: [UInt8]) -> Bool {
    bytes.count >= magic.count && bytes.prefix(magic.count).elementsEqual(magic)
  }

  @inline(__always) func byte(_ offset: Int) -> UInt8 { bytes[offset] }

  @inline(__always) func half(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: checked(offset, UInt16.self))
  }

  @inline(__always) func word(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: checked(offset, UInt32.self))
  }

  @inline(__always) func double(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: checked(offset, UInt64.self))
  }

  /// The text; nil if it is not UTF-8.
  func text(_ offset: Int, count: Int) -> String? {
    String(validating: bytes[offset..<offset + count], as: UTF8.self)
  }

  /// The text up to the first NUL, or to the end of the field; nil if it is not UTF-8.
  func field(_ offset: Int, size: Int) -> String? {
    let field = bytes[offset..<offset + size]
    return text(offset, count: (field.firstIndex(of: 0) ?? field.endIndex) - offset)
  }

  /// Slicing checks the bounds in release builds too.
  @inline(__always)
  private func checked<Value: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, _ type: Value.Type
  ) -> Value {
    UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + MemoryLayout<Value>.size])
      .loadUnaligned(as: Value.self)
  }
}
