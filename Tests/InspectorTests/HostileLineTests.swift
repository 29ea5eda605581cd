// HostileLineTests — line tables that are damaged, or made to deceive a reader. Whatever they hold, the reader ends
// within its limits, and what it finds are lines of paths that can be shown.

import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct HostileLineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let places = (0..<64).map { LinePlace(address: 0x1000 + $0, function: 0x1000) }
  private var extremes: [LinePlace] {
    [0, .max].map { LinePlace(address: $0, function: nil) } + places
  }

  /// A file with tables of both kinds.
  private var file: LineFile {
    var file = LineFile()
    file.lineTexts = LineFile.text("/build") + LineFile.text("b.c")
    let rows: [(UInt64, UInt64)] = [(10, 4), (0, 4), (300, 8), (12, 8)]
    let folders: [UInt8] = [1, 1, 0x1F, 1] + LineFile.bytes(0, 4)
    let files: [UInt8] =
      [2, 1, 0x1F, 2, 0x0B, 2] + LineFile.bytes(7, 4) + [0] + LineFile.bytes(7, 4) + [0]
    file.lines =
      LineFile.unit(
        tables: LineFile.tables(folders: ["/src"], files: [("a.c", 1)]),
        LineFile.sequence(at: 0x1000, rows))
      + LineFile.unit(version: 5, tables: folders + files, LineFile.sequence(at: 0x1020, rows))
    return file
  }

  @discardableResult
  private func check(_ bytes: [UInt8]) throws -> Int {
    let lines = try LineFile.lines(bytes, in: folder, extremes) ?? [:]
    for line in lines.values {
      let text = line.path + line.words
      let controls = text.unicodeScalars.contains {
        $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
      }
      #expect(!controls && !line.path.isEmpty && line.words.utf8.count < 1100)
    }
    return lines.count
  }

  @Test func theFileIsReadWhole() throws {
    // All but the 16 bytes behind the sequences.
    #expect(try check(file.elf) == 48)
  }

  /// Each byte of the headers and the tables, and each word, replaced by what is worst.
  @Test func noNumberIsTrusted() throws {
    let original = file.elf
    for place in 40..<original.count {
      for (number, size) in [(0xFF, 1), (.max, 4), (.max >> 1, 8)]
        as [(UInt64, Int)] where place + size <= original.count
      {
        var bytes = original
        bytes.replaceSubrange(place..<(place + size), with: LineFile.bytes(number, size))
        try check(bytes)
      }
    }
  }

  @Test func damagedTablesAreRead() throws {
    var random = SeededGenerator.announced()
    let original = file.elf
    var found = 0
    for _ in 0..<600 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        // Mostly within the tables.
        let end = random.next() % 8 == 0 ? bytes.count : 64 + file.lines.count
        bytes[Int.random(in: 40..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if random.next() % 8 == 0 {
        bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))
      }
      found += try check(bytes)
    }
    // The damage does not end every search at once.
    #expect(found > 0)
  }

  @Test(.enabled(if: CLibrary.compiler != nil, "there is no clang"))
  func damagedLibrariesAreRead() throws {
    var random = SeededGenerator.announced()
    for version in [4, 5] {
      let library = try CLibrary(in: folder, ["-gdwarf-\(version)"], source: "lines.c")
      let original = try ProcessFile.read(library.path).get()
      let file = try FileBytes(library.path)
      let sections = try #require(ELFSections(file))
      let section = try #require(sections[".debug_line"])
      let start = Int(section.offset)
      let address = try library.address(in: "first") & ~0xFF
      let places = (0..<512).map { LinePlace(address: address + $0, function: address) }
      #expect(try #require(try LineFile.lines(original, in: folder, places)).count > 20)
      for _ in 0..<200 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: start..<(start + Int(section.size)), using: &random)] =
            UInt8.random(in: 0...255, using: &random)
        }
        for line in (try LineFile.lines(bytes, in: folder, places) ?? [:]).values {
          #expect(!line.path.isEmpty && line.line > 0)
        }
      }
    }
  }

  // MARK: Work without end

  /// A sequence that covers all places but one again and again.
  @Test func rowsThatCoverPlacesAgainAreNotFollowed() {
    var choice = RowChoice(places + [LinePlace(address: .max, function: nil)])
    var rounds = 0
    while !choice.isDone, rounds < 1000 {
      choice.take(LineRow(address: 0x1000, file: 1, line: 7))
      choice.endSequence(at: 0x2000)
      rounds += 1
    }
    #expect(rounds <= Limits.attempts + 1)
    #expect(choice.rows.dropLast().allSatisfy { $0?.line == 7 } && choice.rows.last??.line == nil)
  }

  /// Addresses that fall within a sequence cover nothing, and what follows is right.
  @Test func addressesThatFallCoverNothing() {
    var choice = RowChoice(places)
    choice.take(LineRow(address: 0x1030, file: 1, line: 1))
    choice.take(LineRow(address: 0x1010, file: 1, line: 2))
    choice.take(LineRow(address: 0x1020, file: 1, line: 3))
    choice.endSequence(at: 0x1028)
    let lines = choice.rows.map { $0?.line }
    #expect(lines[..<0x10].allSatisfy { $0 == nil } && lines[0x10..<0x20].allSatisfy { $0 == 2 })
    #expect(lines[0x20..<0x28].allSatisfy { $0 == 3 } && lines[0x28...].allSatisfy { $0 == nil })
  }

  /// A table of files that says it has more entries than there are bytes.
  @Test func aTableWithoutEndEnds() throws {
    let program = LineFile.sequence(at: 0x1000, [(7, 8)])
    for count in [LineFile.unsigned(.max), LineFile.unsigned(1 << 40)] {
      // Entries without columns take no bytes.
      for columns in [[0], [1, 1, 0x08]] as [[UInt8]] {
        let tables = columns + count + [0, 0, 0, 0]
        let unit = LineFile.unit(version: 5, tables: tables, program)
        #expect(try check(LineFile(lines: unit).elf) == 0)
      }
    }
  }

  @Test func pathsWithoutEndHaveNoLine() throws {
    let program = LineFile.sequence(at: 0x1000, [(7, 8)])
    // The folder and the name alone, and both with the separator.
    for (folder, name, count) in [
      (0, 4096, 8), (0, 4097, 0), (4097, 1, 0), (4000, 95, 8), (4000, 96, 0),
    ] {
      func text(_ length: Int) -> String { String(repeating: "x", count: length) }
      let tables = LineFile.tables(
        folders: folder > 0 ? [text(folder)] : [], files: [(text(name), folder > 0 ? 1 : 0)])
      let unit = LineFile.unit(tables: tables, program)
      #expect(try check(LineFile(lines: unit).elf) == count, "\(folder) \(name)")
    }
  }
}
