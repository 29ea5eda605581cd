// ELFHeader — the header of an ELF file of 64 bits, and its segments.
//
// Sources     elf(5).

struct ELFHeader {
  static let size = 64

  let type: UInt64
  let machine: UInt64
  private let table: UInt64
  private let entrySize: Int
  private let count: Int
  /// Where the section headers are; 0 if there are none.
  let sections: UInt64

  enum Fault: Error {
    case notELF
    /// 32 bits, or another byte order.
    case foreign
  }

  /// A part of the file and where it is in memory.
  struct Segment: Equatable {
    let type: UInt64
    let flags: UInt64
    let offset: UInt64
    let address: UInt64
    let fileSize: UInt64
    let memorySize: UInt64
    let alignment: UInt64

    static let loaded: UInt64 = 1
    static let note: UInt64 = 4
    static let executable: UInt64 = 1
    static let writable: UInt64 = 2
  }

  /// The machine for which this program was built.
  #if arch(x86_64)
    static let ownMachine: UInt64 = 62
  #elseif arch(arm64)
    static let ownMachine: UInt64 = 183
  #endif

  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count >= ELFHeader.size, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46])
    else { throw .notELF }
    guard bytes[4] == 2, bytes[5] == 1 else { throw .foreign }
    func number(_ offset: Int, _ size: Int) -> UInt64 {
      TargetMemory.number(bytes, at: offset, size: size)
    }
    type = number(16, 2)
    machine = number(18, 2)
    table = number(32, 8)
    sections = number(40, 8)
    entrySize = Int(number(54, 2))
    count = Int(number(56, 2))
  }

  private static let segmentSize = 56
  /// The count that the header states if there are too many segments for its field. The first
  /// section then states how many there are.
  private static let manySegments = 0xFFFF

  /// How many segments there are; nil if that cannot be read.
  func segmentCount(_ read: (UInt64, Int) -> [UInt8]?) -> Int? {
    guard count == ELFHeader.manySegments, sections != 0 else { return count }
    return read(sections, 64).map { Int(TargetMemory.number($0, at: 44, size: 4)) }
  }

  /// The segments; nil if they cannot be read, or are more than the limit.
  ///
  /// - Parameter read: reads bytes at an offset from the beginning of the file.
  func segments(limit: Int, _ read: (UInt64, Int) -> [UInt8]?) -> [Segment]? {
    guard entrySize == ELFHeader.segmentSize, let count = segmentCount(read), count > 0,
      count <= limit,
      let bytes = read(table, entrySize * count)
    else { return nil }
    return (0..<count).map { index in
      func number(_ offset: Int, _ size: Int = 8) -> UInt64 {
        TargetMemory.number(bytes, at: index * ELFHeader.segmentSize + offset, size: size)
      }
      return Segment(
        type: number(0, 4), flags: number(4, 4), offset: number(8), address: number(16),
        fileSize: number(32), memorySize: number(40), alignment: number(48))
    }
  }
}
