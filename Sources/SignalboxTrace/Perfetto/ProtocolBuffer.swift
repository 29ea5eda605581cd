// ProtocolBuffer — the parts of the protocol-buffer wire format that a trace
// needs.
//
// Sources     "Encoding", protobuf.dev/programming-guides/encoding: varints,
//             tags, nested messages.

/// The encoded fields of a message.
struct ProtocolBuffer {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func put(_ field: Int, _ value: UInt64) {
    putVarint(UInt64(field) << 3)
    putVarint(value)
  }

  /// The format encodes a negative number in ten bytes.
  mutating func put(_ field: Int, signed value: Int64) {
    put(field, UInt64(bitPattern: value))
  }

  mutating func put(_ field: Int, fixed value: UInt64) {
    putVarint(UInt64(field) << 3 | 1)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ field: Int, _ text: String) {
    putVarint(UInt64(field) << 3 | 2)
    putVarint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a nested message. The message's length is known only afterwards, so
  /// the writer reserves four bytes for the length: a varint may be longer than
  /// it needs to be.
  mutating func put(_ field: Int, _ body: (inout ProtocolBuffer) -> Void) {
    putVarint(UInt64(field) << 3 | 2)
    let start = bytes.count
    bytes.append(contentsOf: [0x80, 0x80, 0x80, 0])
    body(&self)
    let size = bytes.count - start - 4
    for byte in 0..<3 { bytes[start + byte] = UInt8(size >> (7 * byte) & 0x7F) | 0x80 }
    bytes[start + 3] = UInt8(size >> 21 & 0x7F)
  }

  private mutating func putVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
