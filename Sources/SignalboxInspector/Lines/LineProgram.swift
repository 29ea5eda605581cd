// LineProgram — the instructions of a unit, which make the rows of its table.
//
// Each instruction takes at least one byte, so the program ends with the unit at the latest. An
// unknown instruction is skipped by its length or its number of operands.
//
// Sources     DWARF 5, section 6.2.5.

struct LineProgram {
  private let header: LineHeader
  private var reader: ByteReader
  private var row = LineRow()

  init(_ header: LineHeader) {
    self.header = header
    reader = header.program
  }

  private enum Opcode {
    static let extended: UInt64 = 0
    static let copy: UInt64 = 1
    static let advanceAddress: UInt64 = 2
    static let advanceLine: UInt64 = 3
    static let setFile: UInt64 = 4
    static let addConstant: UInt64 = 8
    static let advanceFixed: UInt64 = 9
  }

  private enum Extended {
    static let endSequence: UInt64 = 1
    static let setAddress: UInt64 = 2
  }

  /// Passes the rows to `choice` until the program ends or turns out to be damaged, or no place
  /// needs another row.
  mutating func run(_ choice: inout RowChoice) {
    while !choice.isDone, let byte = reader.byte() {
      let code = UInt64(byte)
      if code >= header.opcodeBase {
        let both = code - header.opcodeBase
        row.address &+= both / header.lineRange &* header.step
        advanceLine(header.lineBase + Int64(both % header.lineRange))
        choice.take(row)
      } else if !standard(code, &choice) {
        return
      }
    }
  }

  private mutating func advanceLine(_ count: Int64) {
    row.line &+= UInt64(bitPattern: count)
  }

  /// Returns false at the end of the bytes.
  private mutating func standard(_ code: UInt64, _ choice: inout RowChoice) -> Bool {
    switch code {
    case Opcode.extended: return extended(&choice)
    case Opcode.copy: choice.take(row)
    case Opcode.advanceAddress:
      guard let count = reader.unsigned() else { return false }
      row.address &+= count &* header.step
    case Opcode.advanceLine:
      guard let count = reader.signed() else { return false }
      advanceLine(count)
    case Opcode.setFile:
      guard let file = reader.unsigned() else { return false }
      row.file = file
    case Opcode.addConstant:
      row.address &+= (255 - header.opcodeBase) / header.lineRange &* header.step
    case Opcode.advanceFixed:
      guard let count = reader.number(2) else { return false }
      row.address &+= count
    default:
      // A column, a mark, or something newer.
      for _ in 0..<header.operands[Int(code) - 1] {
        guard reader.unsigned() != nil else { return false }
      }
    }
    return true
  }

  private mutating func extended(_ choice: inout RowChoice) -> Bool {
    guard let length = reader.unsigned(), length > 0, let code = reader.number(1) else {
      return false
    }
    switch code {
    case Extended.endSequence:
      choice.endSequence(at: row.address)
      row = LineRow()
    case Extended.setAddress:
      guard length == 9, let address = reader.number(8) else { return false }
      row.address = address
      return true
    default: break
    }
    return reader.skip(length - 1)
  }
}
