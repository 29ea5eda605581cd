// LineForm — one value of a table of folders or files, in the form that the table states.
//
// Sources     DWARF 5, sections 7.5.5 and 7.5.6.

enum LineForm {
  enum Value {
    case number(UInt64)
    case text(LineTexts.Place)
    /// A text by an index, or bytes such as a checksum.
    case other
  }

  private enum Code {
    static let block: UInt64 = 0x09
    static let text: UInt64 = 0x08
    static let textOffset: UInt64 = 0x0E
    static let lineTextOffset: UInt64 = 0x1F
    static let unsigned: UInt64 = 0x0F
    static let sixteen: UInt64 = 0x1E
    static let index: UInt64 = 0x1A
    static let sized: [UInt64: Int] = [0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8]
    static let sizedIndex: [UInt64: UInt64] = [0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4]
  }

  /// nil if the form is not known, or the bytes end. Each form takes at least one byte.
  static func read(_ form: UInt64, _ reader: inout ByteReader) -> Value? {
    switch form {
    case Code.text: return reader.text().map { .text(.here($0)) }
    case Code.textOffset: return reader.number(4).map { .text(.texts($0)) }
    case Code.lineTextOffset: return reader.number(4).map { .text(.lineTexts($0)) }
    case Code.unsigned: return reader.unsigned().map { .number($0) }
    case Code.sixteen: return reader.skip(16) ? .other : nil
    case Code.index: return reader.unsigned().map { _ in .other }
    case Code.block: return reader.unsigned().flatMap { reader.skip($0) ? .other : nil }
    default:
      if let size = Code.sized[form] { return reader.number(size).map { .number($0) } }
      return Code.sizedIndex[form].flatMap { reader.skip($0) ? .other : nil }
    }
  }
}
