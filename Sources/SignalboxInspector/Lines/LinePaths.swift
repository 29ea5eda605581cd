// LinePaths — the paths of the files of a unit.
//
// In version 5 the tables describe their own form, and folder 0 is the compilation directory.
// Earlier versions have two lists of texts, counted from 1, and do not write folder 0.
//
// Sources     DWARF 5, sections 6.2.4.1 and 7.5.6; DWARF 4, section 6.2.4.

struct LinePaths {
  private let header: LineHeader
  private let texts: LineTexts

  init(_ header: LineHeader, _ texts: LineTexts) {
    self.header = header
    self.texts = texts
  }

  private struct Entry {
    var name: LineTexts.Place?
    var folder: UInt64 = 0
  }

  /// The paths of the files with these indices. A file without a name in the table is left out.
  func paths(of files: Set<UInt64>) -> [UInt64: String] {
    var reader = header.tables
    var wanted: [UInt64: Entry] = [:]
    var folders: [UInt64: LineTexts.Place] = [:]
    if header.version == 5 {
      // The files come after the folders and refer to them, so the folders are read again.
      guard table(&reader, { _, _ in }),
        table(&reader, { if files.contains($0) { wanted[$0] = $1 } })
      else { return [:] }
      let needed = Set(wanted.values.map(\.folder) + [0])
      var again = header.tables
      _ = table(&again) { if needed.contains($0) { folders[$0] = $1.name } }
    } else {
      guard oldFolders(&reader, { _, _ in }),
        oldFiles(&reader, { if files.contains($0) { wanted[$0] = $1 } })
      else { return [:] }
      let needed = Set(wanted.values.map(\.folder))
      var again = header.tables
      _ = oldFolders(&again) { if needed.contains($0) { folders[$0] = $1 } }
    }
    return wanted.compactMapValues { path(of: $0, folders) }
  }

  private func path(of entry: Entry, _ folders: [UInt64: LineTexts.Place]) -> String? {
    guard var path = texts.text(entry.name), !path.isEmpty else { return nil }
    let above = entry.folder == 0 ? [0] : [entry.folder, 0]
    for folder in above where path.first != UInt8(ascii: "/") {
      guard let place = folders[folder] else { continue }
      guard let text = texts.text(place) else { return nil }
      if text.isEmpty { continue }
      path = text + (text.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + path
    }
    return path.count > Limits.path ? nil : DisplayText.make(path, isCut: false)
  }

  // MARK: Before version 5

  private func oldFolders(
    _ reader: inout ByteReader, _ take: (UInt64, LineTexts.Place) -> Void
  ) -> Bool {
    var index: UInt64 = 1
    while let text = reader.text() {
      if text.isEmpty { return true }
      take(index, .here(text))
      index += 1
    }
    return false
  }

  private func oldFiles(_ reader: inout ByteReader, _ take: (UInt64, Entry) -> Void) -> Bool {
    var index: UInt64 = 1
    while let text = reader.text() {
      if text.isEmpty { return true }
      // The folder, the time and the size.
      guard let folder = reader.unsigned(), reader.unsigned() != nil, reader.unsigned() != nil
      else { return false }
      take(index, Entry(name: .here(text), folder: folder))
      index += 1
    }
    return false
  }

  // MARK: Version 5

  private enum Content {
    static let path: UInt64 = 1
    static let folder: UInt64 = 2
  }

  /// - Returns: whether the whole table could be read.
  private func table(_ reader: inout ByteReader, _ take: (UInt64, Entry) -> Void) -> Bool {
    guard let columns = reader.number(1) else { return false }
    var forms: [(content: UInt64, form: UInt64)] = []
    for _ in 0..<columns {
      guard let content = reader.unsigned(), let form = reader.unsigned() else { return false }
      forms.append((content, form))
    }
    guard let count = reader.unsigned() else { return false }
    // Each column takes at least one byte, so a table with columns cannot be longer than the
    // header.
    guard count == 0 || !forms.isEmpty else { return false }
    var index: UInt64 = 0
    while index < count {
      var entry = Entry()
      for (content, form) in forms {
        guard let value = LineForm.read(form, &reader) else { return false }
        switch (content, value) {
        case (Content.path, .text(let place)): entry.name = place
        case (Content.folder, .number(let folder)): entry.folder = folder
        default: break
        }
      }
      take(index, entry)
      index += 1
    }
    return true
  }
}
