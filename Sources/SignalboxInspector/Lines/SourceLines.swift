// SourceLines — the lines of the sources for addresses in a file, by its line tables (`.debug_line`).

struct SourceLines {
  private let file: FileBytes
  private let section: ELFSections.Section
  private let texts: LineTexts

  /// nil if the file has no line tables, or they are compressed.
  init?(_ file: FileBytes, _ sections: ELFSections) {
    guard let section = sections[".debug_line"] else { return nil }
    self.file = file
    self.section = section
    texts = LineTexts(file, sections)
  }

  /// How many bytes are searched.
  var size: UInt64 { section.size }

  /// The lines of those places that have one, by address. The tables are looked through once.
  func lines(of places: [LinePlace]) -> [UInt64: SourceLine] {
    guard !places.isEmpty, var units = LineUnits(file, section) else { return [:] }
    var search = SequenceSearch(places.sorted { $0.address < $1.address })
    while let (unit, window, bytes) = units.next() { search.look(in: unit, window, bytes) }
    var lines: [UInt64: SourceLine] = [:]
    for (unit, places) in search.units {
      guard let bytes = units.bytes(of: unit), let header = LineHeader(bytes) else { continue }
      var program = LineProgram(header)
      var choice = RowChoice(places)
      program.run(&choice)
      let rows = choice.rows
      let paths = LinePaths(header, texts).paths(of: Set(rows.compactMap { $0?.file }))
      for (place, row) in zip(places, rows) {
        guard let row, let path = paths[row.file], let line = UInt32(exactly: row.line) else {
          continue
        }
        lines[place.address] = SourceLine(path: path, line: line)
      }
    }
    return lines
  }
}
