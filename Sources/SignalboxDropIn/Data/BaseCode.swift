// BaseCode — bytes as letters and digits, a few bits a character.
//
// A group of bytes becomes a group of characters; the last group is padded with "=".
//
// Sources     S. Josefsson, "The Base16, Base32, and Base64 Data Encodings", RFC 4648 (2006).

struct BaseCode {
  /// How many bits one character stands for.
  private let bits: Int
  /// How many characters a group has.
  private let groupSize: Int
  private let characters: [UInt8]
  /// The value of each character; 255 if it has none.
  private let values: [UInt8]

  // Computed for each use: after a fork during a lazy initialization, the child would wait forever.

  static var base32: BaseCode { BaseCode(5, groupOf: 8, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") }
  static var base32Hex: BaseCode { BaseCode(5, groupOf: 8, "0123456789ABCDEFGHIJKLMNOPQRSTUV") }
  static var base64: BaseCode {
    BaseCode(
      6, groupOf: 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  }

  private static var padding: UInt8 { UInt8(ascii: "=") }

  private init(_ bits: Int, groupOf size: Int, _ alphabet: String) {
    self.bits = bits
    groupSize = size
    characters = Array(alphabet.utf8)
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let bytesOfGroup = groupSize * bits / 8
    let groups = bytes.count / bytesOfGroup + (bytes.count % bytesOfGroup == 0 ? 0 : 1)
    var text: [UInt8] = []
    text.reserveCapacity(groups * groupSize)
    // The bits that are not written yet, the oldest ones at the top.
    var (pending, count) = (0, 0)
    for byte in bytes {
      pending = pending << 8 | Int(byte)
      count += 8
      while count >= bits {
        count -= bits
        text.append(characters[pending >> count])
        pending &= 1 << count - 1
      }
    }
    if count > 0 { text.append(characters[pending << (bits - count)]) }
    while text.count < groups * groupSize { text.append(BaseCode.padding) }
    return text
  }

  /// The bytes that the characters stand for; nil if the text is not valid in this code. Spaces,
  /// tabs and line ends are skipped.
  func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / groupSize * groupSize * bits / 8)
    var (pending, count) = (0, 0)
    var (inGroup, filled) = (0, 0)
    for character in text where !BaseCode.isSpace(character) {
      inGroup = inGroup == groupSize ? 1 : inGroup + 1
      if character == BaseCode.padding {
        filled += 1
        continue
      }
      let value = values[Int(character)]
      // Nothing may follow a padded group.
      if value == 255 || filled > 0 { return nil }
      pending = pending << bits | Int(value)
      count += bits
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(pending >> count))
        pending &= 1 << count - 1
      }
    }
    // The last group is whole, and has no more characters than its bytes need.
    let isWhole = (inGroup == 0 || inGroup == groupSize) && count < bits && filled < groupSize
    return isWhole ? bytes : nil
  }

  private static func isSpace(_ character: UInt8) -> Bool {
    character == 0x20 || character == 0x09 || character == 0x0A || character == 0x0D
  }
}
