// StringWords — how a string is laid out in memory, for a reader in another process.
//
// A string is two words. If the bit `isSmall` is set in the highest byte of the second word, the
// text is in the other fifteen bytes, and the low half of the highest byte is its length. Otherwise
// the low 48 bits of the first word are its length, and the low 60 bits of the second word are the
// address of the text, less `distance`. The standard library does not promise this layout. So the
// library checks it once, with strings of both kinds, and publishes it to readers only if it holds.

enum StringWords {
  /// The distance from the address in a string to the text.
  static var distance: UInt { 32 }
  private static var lengthMask: UInt { (1 << 48) - 1 }
  private static var addressMask: UInt { (1 << 60) - 1 }
  private static var isSmall: UInt { 1 << 61 }

  /// Whether strings are laid out as the header says.
  static var areAsKnown: Bool {
    guard MemoryLayout<String>.size == 16, MemoryLayout<UInt>.size == 8 else { return false }
    return isKnown("") && isKnown("é2") && isKnown("fifteen bytes..") && isKnownLarge()
  }

  private static func isKnownLarge() -> Bool {
    // The first one is in the program's data, the second one in memory of its own.
    let literal = "a text that is too long for two words"
    return isKnown(literal) && isKnown(literal + "!")
  }

  private static func isKnown(_ text: String) -> Bool {
    // SAFETY: both have the size that was checked.
    let words = unsafeBitCast(text, to: (UInt, UInt).self)
    var text = text
    return text.withUTF8 { bytes in
      if words.1 & isSmall != 0 {
        return withUnsafeBytes(of: words) { raw in
          raw[15] & 0xF == bytes.count && raw.prefix(bytes.count).elementsEqual(bytes)
        }
      }
      return words.0 & lengthMask == bytes.count
        && words.1 & addressMask &+ distance == UInt(bitPattern: bytes.baseAddress)
    }
  }
}
