// LineTexts — the texts that line tables refer to.

struct LineTexts {
  /// Where a text is.
  enum Place {
    case here([UInt8])
    /// An offset in `.debug_str`.
    case texts(UInt64)
    /// An offset in `.debug_line_str`.
    case lineTexts(UInt64)
  }

  private let file: FileBytes
  private let texts: ELFSections.Section?
  private let lineTexts: ELFSections.Section?

  init(_ file: FileBytes, _ sections: ELFSections) {
    self.file = file
    texts = sections[".debug_str"]
    lineTexts = sections[".debug_line_str"]
  }

  /// nil if there is none, or it is longer than a path.
  func text(_ place: Place?) -> [UInt8]? {
    switch place {
    case .here(let text): text.count > Limits.path ? nil : text
    case .texts(let offset): text(at: offset, in: texts)
    case .lineTexts(let offset): text(at: offset, in: lineTexts)
    case nil: nil
    }
  }

  private func text(at offset: UInt64, in section: ELFSections.Section?) -> [UInt8]? {
    guard let section, offset < section.size, section.size <= file.size else { return nil }
    let count = Int(min(section.size - offset, UInt64(Limits.path + 1)))
    guard let bytes = file.bytes(at: section.offset &+ offset, count: count),
      let end = bytes.firstIndex(of: 0)
    else { return nil }
    return Array(bytes[..<end])
  }
}
