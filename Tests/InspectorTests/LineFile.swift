// LineFile — an ELF file with line tables that a test writes byte by byte.

import SignalboxTestSupport

@testable import SignalboxInspector

struct LineFile {
  var lines: [UInt8] = []
  var texts: [UInt8] = []
  var lineTexts: [UInt8] = []
  /// The flags of the sections.
  var flags: UInt64 = 0

  static func bytes(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A number in parts of seven bits.
  static func unsigned(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + unsigned(value >> 7)
  }

  /// The same with a sign.
  static func signed(_ value: Int64) -> [UInt8] {
    let low = UInt8(truncatingIfNeeded: value) & 0x7F
    return value >= -64 && value < 64 ? [low] : [low | 0x80] + signed(value >> 7)
  }

  static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

  // MARK: Units

  /// A table of folders and files before version 5.
  static func tables(folders: [String] = [], files: [(String, folder: UInt64)]) -> [UInt8] {
    var tables = folders.flatMap { text($0) }
    tables.append(0)
    for file in files { tables += text(file.0) + unsigned(file.folder) + [0, 0] }
    tables.append(0)
    return tables
  }

  /// The usual unit of version 4: rows stand for opcodes from 13 on.
  static func unit(
    version: UInt64 = 4, tables: [UInt8], step: UInt8 = 1, operations: UInt8 = 1,
    operands: [UInt8] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1], _ program: [UInt8]
  ) -> [UInt8] {
    var header: [UInt8] = [step]
    if version >= 4 { header.append(operations) }
    // Rows begin statements; the line base -5 and the range 14.
    header += [1, 0xFB, 14, UInt8(operands.count + 1)] + operands + tables
    var unit = bytes(version, 2) + (version == 5 ? [8, 0] : [])
    unit += bytes(UInt64(header.count), 4) + header + program
    return bytes(UInt64(unit.count), 4) + unit
  }

  /// Rows from an address on, each with its file, its line and the number of bytes to the next one.
  static func sequence(
    at address: UInt64, file: UInt64 = 1, _ rows: [(line: UInt64, size: UInt64)]
  ) -> [UInt8] {
    var program: [UInt8] = [0, 9, 2] + bytes(address, 8) + [4] + unsigned(file)
    var line: UInt64 = 1
    for row in rows {
      program += [3] + signed(Int64(row.line) - Int64(line)) + [1, 2] + unsigned(row.size)
      line = row.line
    }
    return program + [0, 1, 1]
  }

  // MARK: The file

  var elf: [UInt8] {
    let names = ["", ".debug_line", ".debug_str", ".debug_line_str", ".shstrtab"]
    let nameBytes = names.flatMap { LineFile.text($0) }
    let parts: [[UInt8]] = [[], lines, texts, lineTexts, nameBytes]
    var bytes = [UInt8](repeating: 0, count: 64)
    var headers: [UInt8] = []
    var name = 0
    for (index, part) in parts.enumerated() {
      headers += LineFile.bytes(UInt64(name), 4) + LineFile.bytes(index == 0 ? 0 : 1, 4)
      headers += LineFile.bytes(flags, 8) + LineFile.bytes(0, 8)
      headers += LineFile.bytes(UInt64(bytes.count), 8) + LineFile.bytes(UInt64(part.count), 8)
      headers += [UInt8](repeating: 0, count: 24)
      bytes += part
      name += names[index].utf8.count + 1
    }
    var head: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]
    // The sizes and values of the fields from the type on, behind the padding.
    let fields: [(UInt64, Int)] = [
      (0, 8), (0, 1), (3, 2), (62, 2), (1, 4), (0, 8), (0, 8), (UInt64(bytes.count), 8), (0, 4),
      (64, 2), (56, 2), (0, 2), (64, 2), (UInt64(parts.count), 2), (4, 2),
    ]
    for (value, size) in fields { head += LineFile.bytes(value, size) }
    bytes.replaceSubrange(0..<64, with: head)
    return bytes + headers
  }

  /// The lines for places in a file with these bytes; nil if it has no tables.
  static func lines(
    _ bytes: [UInt8], in folder: TemporaryFolder, _ places: [LinePlace]
  ) throws -> [UInt64: SourceLine]? {
    let path = "\(folder.path)/file"
    try CoreWriter.write(bytes, to: path)
    let file = try FileBytes(path)
    return ELFSections(file).flatMap { SourceLines(file, $0) }?.lines(of: places)
  }
}
