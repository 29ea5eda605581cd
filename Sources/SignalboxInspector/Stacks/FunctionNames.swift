// FunctionNames — the names of functions in a file, by its symbol table.
//
// Sources     elf(5), "String and symbol tables".

import CSignalboxTool

struct FunctionNames {
  private let file: FileBytes
  private let symbols: ELFSections.Section
  private let texts: ELFSections.Section

  private enum SectionType {
    static let symbols: UInt64 = 2
    static let dynamicSymbols: UInt64 = 11
  }

  private static let symbolSize = 24

  /// A function of the file.
  struct Symbol {
    let name: String
    /// The address of its first byte.
    let start: UInt64
  }

  /// nil if the file has no symbols.
  init?(_ file: FileBytes, _ sections: ELFSections) {
    let all = sections.all
    let found =
      all.first { $0.type == SectionType.symbols && $0.size > 0 }
      ?? all.first { $0.type == SectionType.dynamicSymbols }
    guard let found, found.size <= UInt64(Limits.symbols), found.link < all.count
    else { return nil }
    self.file = file
    symbols = found
    texts = all[found.link]
  }

  /// The symbols of the functions with these addresses, as they are in the file.
  func symbols(of addresses: [UInt64]) -> [UInt64: Symbol] {
    let sorted = addresses.sorted()
    guard let bytes = file.bytes(at: symbols.offset, count: Int(symbols.size)), !sorted.isEmpty
    else { return [:] }
    var names: [UInt64: (name: UInt32, start: UInt64)] = [:]
    bytes.withUnsafeBytes { bytes in
      for start in stride(
        from: 0, through: bytes.count - FunctionNames.symbolSize, by: FunctionNames.symbolSize)
      {
        // A function, or one that is chosen when the file is loaded.
        let type = bytes[start + 4] & 0xF
        guard type == 2 || type == 10 else { continue }
        let value = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
        let size = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self))
        guard var index = sorted.lastIndex(notAbove: value &+ size &- 1, { $0 }), size > 0 else {
          continue
        }
        let name = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        while index >= 0, sorted[index] >= value {
          if names[sorted[index]] == nil { names[sorted[index]] = (name, value) }
          index -= 1
        }
      }
    }
    return names.compactMapValues { found in
      text(at: found.name).map { Symbol(name: $0, start: found.start) }
    }
  }

  private func text(at offset: UInt32) -> String? {
    guard UInt64(offset) < texts.size, texts.size <= file.size else { return nil }
    let count = Int(min(texts.size - UInt64(offset), UInt64(Limits.symbolText)))
    let bytes = file.bytes(at: texts.offset &+ UInt64(offset), count: count)
    guard let bytes, let end = bytes.firstIndex(of: 0), end > 0 else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// A Swift symbol as it was written in the source; any other symbol unchanged.
  static func words(for symbol: String) -> String {
    var words = [CChar](repeating: 0, count: Limits.symbolText)
    let isSwift = csb_tool_demangle(symbol, &words, UInt(words.count)) != 0
    let text = isSwift ? withoutFileMarks(words) : Array(symbol.utf8)
    return DisplayText.make(Array(text.prefix(Limits.text)), isCut: text.count > Limits.text)
  }

  /// A private name comes as "(name in _1234ABCD)", with the number of its file. Keeps only the
  /// name.
  private static func withoutFileMarks(_ words: [CChar]) -> [UInt8] {
    var text = words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let mark = Array(" in _".utf8)
    var from = 0
    while let place = text[from...].indices.first(where: { text[$0...].starts(with: mark) }) {
      from = place + 1
      guard let open = text[..<place].lastIndex(of: UInt8(ascii: "(")),
        let close = text[place...].firstIndex(of: UInt8(ascii: ")"))
      else { break }
      text.removeSubrange(place...close)
      text.remove(at: open)
      from = open
    }
    return text
  }
}
