// ByteReader — reads one number after the other, in the encodings of debug information.

struct ByteReader {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int

  init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    position = max(0, start)
    self.end = min(bytes.count, end ?? bytes.count)
  }

  mutating func byte() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// A number of one to eight bytes; nil at the end.
  mutating func number(_ size: Int) -> UInt64? {
    guard position <= end - size else { return nil }
    defer { position += size }
    return TargetMemory.number(bytes, at: position, size: size)
  }

  /// A number in parts of seven bits. Bits above the 64th are lost.
  mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = byte() {
      if shift < 64 { value |= UInt64(byte & 0x7F) << shift }
      shift += 7
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// The same with a sign.
  mutating func signed() -> Int64? {
    let start = position
    guard let value = unsigned(), let last = position > start ? bytes[position - 1] : nil
    else { return nil }
    let bits = 7 * (position - start)
    let isNegative = last & 0x40 != 0 && bits < 64
    return Int64(bitPattern: isNegative ? value | (.max << UInt64(bits)) : value)
  }

  /// The bytes before the next zero.
  mutating func text() -> [UInt8]? {
    var text: [UInt8] = []
    while let byte = byte() {
      if byte == 0 { return text }
      text.append(byte)
    }
    return nil
  }

  mutating func skip(_ count: UInt64) -> Bool {
    guard count <= UInt64(max(0, end - position)) else { return false }
    position += Int(count)
    return true
  }
}
