// LineTableTests — line tables that a test writes byte by byte.

import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct LineTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let tables = LineFile.tables(folders: ["/src"], files: [("a.c", 1), ("b.c", 1)])

  private func lines(
    _ file: LineFile, _ addresses: [UInt64], function: UInt64? = nil
  ) throws -> [String?] {
    let places = addresses.map { LinePlace(address: $0, function: function) }
    let found = try LineFile.lines(file.elf, in: folder, places)
    return addresses.map { address in found?[address].map { "\($0.path):\($0.line)" } }
  }

  private func lines(
    _ units: [UInt8]..., at addresses: [UInt64], function: UInt64? = nil
  ) throws -> [String?] {
    try lines(LineFile(lines: units.flatMap { $0 }), addresses, function: function)
  }

  // MARK: Sequences

  @Test func aRowCoversTheBytesUpToTheNextOne() throws {
    let unit = LineFile.unit(
      tables: tables, LineFile.sequence(at: 0x1000, [(10, 4), (20, 8), (15, 1)]))
    #expect(
      try lines(unit, at: [0xFFF, 0x1000, 0x1003, 0x1004, 0x100B, 0x100C, 0x100D])
        == [nil, "/src/a.c:10", "/src/a.c:10", "/src/a.c:20", "/src/a.c:20", "/src/a.c:15", nil])
  }

  /// Between functions, and beside code that the linker has thrown away.
  @Test func theSequencesMayBeInAnyOrder() throws {
    let programs = [
      LineFile.sequence(at: 0x3000, [(30, 16)]) + LineFile.sequence(at: .max - 1, [(98, 1)]),
      LineFile.sequence(at: 0, [(99, 0x100)]), LineFile.sequence(at: 0x800, [(97, 8)]),
      LineFile.sequence(at: 0x1000, file: 2, [(10, 16)]),
      LineFile.sequence(at: 0x2000, [(20, 16)]),
    ]
    let units = programs.map { LineFile.unit(tables: tables, $0) }
    let places: [UInt64] = [0x1000, 0x1010, 0x2008, 0x2010, 0x300F, 0x3010]
    let expected = ["/src/b.c:10", nil, "/src/a.c:20", nil, "/src/a.c:30", nil]
    #expect(try lines(units.flatMap { $0 }, at: places) == expected)
    #expect(
      try lines(units.reversed().flatMap { $0 }, at: places.reversed()) == expected.reversed())
  }

  @Test func allOpcodesAreFollowed() throws {
    // One address for all: a special opcode, a constant advance, a fixed one, and what has no meaning here.
    var program: [UInt8] = [0, 9, 2] + LineFile.bytes(0x1000, 8) + [4, 2]
    program += [
      UInt8(13 + 14 * 2 + 7),  // address 0x1002, line 1 - 5 + 7 = 3
      8, 9, 0x00, 0x01, 3, 0x7F, 1,  // address 0x1002 + 17 + 256, line 2
      5, 0x80, 1, 6, 7, 10, 11, 12, 9, 13, 0x81, 1, 0x82, 1,
      0, 3, 0x80, 1, 2,  // an extended opcode that is not known
      2, 1, 4, 1, 3, 40, 1, 2, 1, 0, 1, 1,
    ]
    let unit = LineFile.unit(
      tables: tables, operands: [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2], program)
    // The opcodes of rows begin at 14 there, so that both are one less.
    #expect(
      try lines(unit, at: [0x1001, 0x1002, 0x1112, 0x1113, 0x1114, 0x1115])
        == [nil, "/src/b.c:2", "/src/b.c:2", "/src/b.c:1", "/src/a.c:41", nil])
  }

  @Test func advancesAreMultiples() throws {
    let unit = LineFile.unit(
      tables: tables, step: 4, LineFile.sequence(at: 0x1000, [(10, 4), (20, 8)]))
    #expect(
      try lines(unit, at: [0x100F, 0x1010, 0x102F, 0x1030])
        == ["/src/a.c:10", "/src/a.c:20", "/src/a.c:20", nil])
  }

  /// The bytes of the instruction that sets an address, as an operand.
  @Test func bytesThatLookLikeASequenceGiveNoWrongLine() throws {
    let mark: [UInt8] = [0, 9, 2] + LineFile.bytes(0x1008, 8)
    let other = LineFile.unit(
      tables: tables, [0, 12, 0x80] + mark + LineFile.sequence(at: 0x5000, [(50, 1)]))
    let own = LineFile.unit(tables: tables, LineFile.sequence(at: 0x1000, [(10, 16)]))
    #expect(try lines(own, other, at: [0x1007, 0x1008]) == ["/src/a.c:10", nil])
    let same = LineFile.unit(
      tables: tables, [0, 12, 0x80] + mark + LineFile.sequence(at: 0x1000, [(10, 16)]))
    #expect(try lines(same, at: [0x1007, 0x1008]) == ["/src/a.c:10", "/src/a.c:10"])
  }

  // MARK: Instructions of no line

  @Test func theLineBeforeIsTakenWithinTheFunction() throws {
    let unit = LineFile.unit(
      tables: tables,
      LineFile.sequence(at: 0x1000, [(0, 4), (10, 4), (0, 4), (0, 4), (20, 4), (0, 4)]))
    let places: [UInt64] = [0x1000, 0x1008, 0x100C, 0x1014]
    #expect(
      try lines(unit, at: places, function: 0x1000)
        == [nil, "/src/a.c:10", "/src/a.c:10", "/src/a.c:20"])
    // The row of line 10 is of the function before.
    #expect(
      try lines(unit, at: places, function: 0x1008) == [nil, nil, nil, "/src/a.c:20"])
    #expect(try lines(unit, at: places) == [nil, nil, nil, nil])
  }

  @Test func theLineBeforeIsOfTheSameSequence() throws {
    let unit = LineFile.unit(
      tables: tables,
      LineFile.sequence(at: 0x1000, [(10, 8)]) + LineFile.sequence(at: 0x1008, [(0, 8)]))
    #expect(try lines(unit, at: [0x1004, 0x1008], function: 0x1000) == ["/src/a.c:10", nil])
  }

  // MARK: Files

  @Test func aFileOutsideTheTableHasNoLine() throws {
    for file in [0, 3, 1 << 40] as [UInt64] {
      let unit = LineFile.unit(
        tables: tables, LineFile.sequence(at: 0x1000, file: file, [(10, 8)]))
      #expect(try lines(unit, at: [0x1000]) == [nil])
    }
  }

  @Test func pathsArePutTogether() throws {
    let tables = LineFile.tables(
      folders: ["/src/", "sub"],
      files: [("a.c", 1), ("b.c", 2), ("c.c", 0), ("/d.c", 2), ("e.c", 9)])
    let expected = ["/src/a.c:5", "sub/b.c:5", "c.c:5", "/d.c:5", "e.c:5"]
    for (index, path) in expected.enumerated() {
      let unit = LineFile.unit(
        tables: tables, LineFile.sequence(at: 0x1000, file: UInt64(index + 1), [(5, 8)]))
      #expect(try lines(unit, at: [0x1000]) == [path])
    }
  }

  /// Version 5: texts in the header and in both sections, folders in numbers of any form, and a checksum.
  @Test func everyFormIsRead() throws {
    var file = LineFile()
    file.texts = LineFile.text("") + LineFile.text("name.c")
    file.lineTexts = LineFile.text("x") + LineFile.text("/build") + LineFile.text("sub")
    // The folders "/build" and "sub", by their offsets.
    let folders: [UInt8] = [1, 1, 0x1F, 2] + LineFile.bytes(2, 4) + LineFile.bytes(9, 4)
    let block: [UInt8] = [3, 7, 7, 7]
    let forms: [([UInt8], [UInt8], [UInt8], String?)] = [
      ([0x08, 0x0B], LineFile.text("h.c"), [1], "/build/sub/h.c:7"),
      ([0x0E, 0x05], LineFile.bytes(1, 4), [0, 0], "/build/name.c:7"),
      ([0x1F, 0x06], LineFile.bytes(0, 4), [1, 0, 0, 0], "/build/sub/x:7"),
      ([0x08, 0x07], LineFile.text("/h.c"), LineFile.bytes(1, 8), "/h.c:7"),
      ([0x08, 0x0F], LineFile.text("h.c"), [0x80, 0], "/build/h.c:7"),
      // Texts by an index are not read.
      ([0x1A, 0x0B], [5], [1], nil), ([0x27, 0x0B], [5, 5, 5], [1], nil),
      // Outside the section.
      ([0x0E, 0x0B], LineFile.bytes(1000, 4), [1], nil),
      // A form that no version has.
      ([0x08, 0x77], LineFile.text("h.c"), [1], nil),
    ]
    for (form, name, folder, path) in forms {
      for (extra, value) in [(0x1E as UInt8, [UInt8](repeating: 9, count: 16)), (0x09, block)] {
        let columns: [UInt8] = [3, 1, form[0], 5, extra, 2, form[1]]
        let entry = name + value + folder
        let files = columns + [2] + entry + entry
        let program = LineFile.sequence(at: 0x1000, file: 1, [(7, 8)])
        file.lines = LineFile.unit(version: 5, tables: folders + files, program)
        #expect(try lines(file, [0x1000]) == [path], "\(form)")
      }
    }
  }

  // MARK: What is left out

  @Test func unitsOfOtherFormsAreLeftOut() throws {
    let program = LineFile.sequence(at: 0x1000, [(10, 8)])
    let next = LineFile.unit(tables: tables, LineFile.sequence(at: 0x2000, [(20, 8)]))
    var shortAddresses = LineFile.unit(version: 5, tables: [0, 0, 0, 0], program)
    shortAddresses[6] = 4
    let long =
      [0xFF, 0xFF, 0xFF, 0xFF] + LineFile.bytes(100, 8) + [UInt8](repeating: 9, count: 100)
    for unit in [
      LineFile.unit(version: 1, tables: tables, program),
      LineFile.unit(version: 6, tables: tables, program),
      LineFile.unit(tables: tables, operations: 4, program), shortAddresses, long, [0, 0, 0, 0],
    ] {
      #expect(try lines(unit, next, at: [0x1000, 0x2000]) == [nil, "/src/a.c:20"])
    }
  }

  @Test func compressedTablesAreLeftOut() throws {
    let unit = LineFile.unit(tables: tables, LineFile.sequence(at: 0x1000, [(10, 8)]))
    var file = LineFile(lines: unit)
    #expect(try lines(file, [0x1000]) == ["/src/a.c:10"])
    file.flags = 0x800
    #expect(try lines(file, [0x1000]) == [nil])
  }

  /// A unit that begins in one window, and ends in another one, or is larger than a window.
  @Test func unitsAreReadAcrossWindows() throws {
    for filler in [(1 << 20) - 100, 1 << 21] {
      // An extended opcode that is not known, with operands.
      let unknown =
        [0] + LineFile.unsigned(UInt64(filler)) + [UInt8](repeating: 0x80, count: filler)
      let large = LineFile.unit(
        tables: tables, unknown + LineFile.sequence(at: 0x1000, [(10, 8)]))
      let next = LineFile.unit(tables: tables, LineFile.sequence(at: 0x2000, [(20, 8)]))
      #expect(
        try lines(large, next, at: [0x1000, 0x2000]) == ["/src/a.c:10", "/src/a.c:20"])
    }
  }

  // MARK: Words

  @Test func textShowsTheEndOfAPath() {
    func words(_ path: String) -> String { SourceLine(path: path, line: 41).words }
    #expect(
      words("/home/me/MyServer/Sources/MyServer/Decoder.swift")
        == "Sources/MyServer/Decoder.swift:41")
    #expect(words("/a.c") == "a.c:41" && words("sub/a.c") == "sub/a.c:41")
    let long = words("/" + String(repeating: "x", count: 4000))
    #expect(long.hasPrefix("…x") && long.utf8.count < 300)
  }

  @Test func aFrameShowsItsLineBehindItsFile() {
    let line = SourceLine(path: "/src/a.c", line: 3)
    func words(_ function: String?, _ source: SourceLine?) -> String {
      SeenFrame(
        address: 0x1234, function: function, file: "app", offset: 0x234, buildID: nil,
        source: source
      ).words
    }
    #expect(words("f", line) == "f in app (src/a.c:3)" && words("f", nil) == "f in app")
    #expect(words(nil, line) == "app + 0x234 (src/a.c:3)")
  }
}
