// UnicodeCode — text as bytes, in one of the encodings of Unicode.
//
// Sources     The Unicode Standard, chapter 3.10: the encoding schemes and the byte order mark.

enum UnicodeCode {
  case utf8, utf16LittleEndian, utf16BigEndian

  /// The encoding that the mark at the beginning names; UTF-8 without one.
  init(markedIn bytes: UnsafeRawBufferPointer) {
    if bytes.starts(with: UnicodeCode.utf16LittleEndian.mark) {
      self = .utf16LittleEndian
    } else if bytes.starts(with: UnicodeCode.utf16BigEndian.mark) {
      self = .utf16BigEndian
    } else {
      self = .utf8
    }
  }

  /// The encoded U+FEFF, with which a text may begin.
  var mark: [UInt8] {
    switch self {
    case .utf8: [0xEF, 0xBB, 0xBF]
    case .utf16LittleEndian: [0xFF, 0xFE]
    case .utf16BigEndian: [0xFE, 0xFF]
    }
  }

  /// The text without the mark; nil if the bytes are not in this encoding, or begin with the mark
  /// of the other byte order.
  func decode(_ bytes: UnsafeRawBufferPointer) -> String? {
    let content = UnsafeRawBufferPointer(
      rebasing: bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0))
    if self == .utf8 { return String(validating: content, as: UTF8.self) }
    if bytes.starts(with: other.mark) || content.count % 2 != 0 { return nil }
    let units = (0..<content.count / 2).map { index in
      // SAFETY: any two bytes are a number.
      number(content.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
    }
    return String(validating: units, as: UTF16.self)
  }

  /// The text as bytes: UTF-16 with the mark, and UTF-8 without one.
  func encode(_ text: String) -> [UInt8] {
    if self == .utf8 { return Array(text.utf8) }
    if text.isEmpty { return [] }
    var bytes = mark
    bytes.reserveCapacity(2 + 2 * text.utf16.count)
    for unit in text.utf16 { withUnsafeBytes(of: number(unit)) { bytes.append(contentsOf: $0) } }
    return bytes
  }

  /// UTF-16 with the other byte order.
  private var other: UnicodeCode {
    self == .utf16LittleEndian ? .utf16BigEndian : .utf16LittleEndian
  }

  /// Converts between this processor's byte order and the encoding's.
  private func number(_ unit: UInt16) -> UInt16 {
    self == .utf16LittleEndian ? unit.littleEndian : unit.bigEndian
  }
}
