// LineHeader — the header of a unit of line tables, up to its tables of folders and files.
//
// Versions 2 to 5 with offsets of 32 bits and addresses of 64. Versions before 5 differ in the tables.
//
// Sources     DWARF 5, section 6.2.4; DWARF 4, section 6.2.4.

struct LineHeader {
  let version: UInt64
  /// The factor by which advances of the address are multiplied.
  let step: UInt64
  let lineBase: Int64
  let lineRange: UInt64
  /// The first of the opcodes that stand for a row.
  let opcodeBase: UInt64
  /// How many operands each standard opcode has, beginning with the first.
  let operands: [UInt8]
  /// Begins at the tables, and ends with the header.
  let tables: ByteReader
  let program: ByteReader

  /// - Parameter unit: the bytes of the unit, beginning with its length.
  init?(_ unit: [UInt8]) {
    var reader = ByteReader(unit, from: 4)
    guard let version = reader.number(2), (2...5).contains(version) else { return nil }
    if version == 5 {
      // The sizes of an address, and of a segment's number.
      guard reader.number(1) == 8, reader.number(1) == 0 else { return nil }
    }
    guard let length = reader.number(4), length <= UInt64(unit.count - reader.position) else {
      return nil
    }
    let end = reader.position + Int(length)
    var header = ByteReader(unit, from: reader.position, to: end)
    guard let step = header.number(1) else { return nil }
    // Only other machines have instructions with several operations.
    if version >= 4 { guard header.number(1) == 1 else { return nil } }
    // Whether a row begins a statement does not matter.
    guard header.skip(1), let base = header.number(1), let range = header.number(1), range > 0,
      let opcodes = header.number(1), opcodes > 0
    else { return nil }
    var operands: [UInt8] = []
    for _ in 1..<opcodes {
      guard let count = header.byte() else { return nil }
      operands.append(count)
    }
    self.version = version
    self.step = step
    lineBase = Int64(Int8(truncatingIfNeeded: base))
    lineRange = range
    opcodeBase = opcodes
    self.operands = operands
    tables = header
    program = ByteReader(unit, from: end)
  }
}
