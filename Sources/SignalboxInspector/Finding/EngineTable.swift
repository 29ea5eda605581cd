// EngineTable — the engine's description of its memory: names of structures and fields, constants,
// and where the lists begin (CSignalbox/outside.h).

package struct EngineTable {
  private var entries: [Name: Entry] = [:]
  /// The words for each number of a kind, such as the reasons for waits.
  private var words: [String: [UInt64: String]] = [:]

  /// Whether the engine describes more than its table holds.
  let isFull: Bool

  private struct Name: Hashable {
    let structure: String
    let field: String
  }

  private struct Entry {
    let kind: UInt64
    let value: UInt64
    let size: UInt64
  }

  private enum Kind {
    static let number: UInt64 = 1
    static let address: UInt64 = 2
    static let constant: UInt64 = 3
    static let root: UInt64 = 4
  }

  /// Why a table is not usable.
  package enum Fault: Error, Equatable {
    /// There is no table at the address, or it is damaged.
    case notThere
    case version(UInt64)
  }

  private static let magic: [UInt8] = Array("SBOUTSD".utf8) + [0x1A]
  private static let version: UInt64 = 1
  private static let headSize = 32

  package init(at address: UInt64, in memory: TargetMemory) throws(Fault) {
    guard let head = memory.bytes(at: address, count: EngineTable.headSize),
      head.starts(with: EngineTable.magic)
    else { throw .notThere }
    func number(_ offset: Int, _ size: Int) -> UInt64 {
      TargetMemory.number(head, at: offset, size: size)
    }
    // A copy of the file that is mapped as data states another address, or none.
    guard number(24, 8) == address else { throw .notThere }
    let version = number(8, 4)
    guard version == EngineTable.version else { throw .version(version) }
    let size = Int(number(12, 4))
    let count = Int(min(number(16, 4), number(20, 4)))
    guard size >= 64, size <= Limits.entrySize, count <= Limits.entries, count > 0,
      let bytes = memory.bytes(
        at: address &+ UInt64(EngineTable.headSize), count: size * count)
    else { throw .notThere }
    isFull = number(20, 4) > number(16, 4)
    for index in 0..<count { add(bytes, at: index * size) }
  }

  private mutating func add(_ bytes: [UInt8], at start: Int) {
    func text(_ offset: Int, _ size: Int) -> String {
      DisplayText.make(
        bytes[(start + offset)...].prefix(size).prefix { $0 != 0 }.map { $0 }, isCut: false)
    }
    func number(_ offset: Int, _ size: Int) -> UInt64 {
      TargetMemory.number(bytes, at: start + offset, size: size)
    }
    let entry = Entry(kind: number(60, 4), value: number(48, 8), size: number(56, 4))
    if entry.kind == 0 { return }
    let name = Name(structure: text(0, 16), field: text(16, 32))
    entries[name] = entry
    if entry.kind == Kind.constant { words[name.structure, default: [:]][entry.value] = name.field }
  }

  // MARK: Questions

  func constant(_ structure: String, _ name: String) -> UInt64? {
    guard let entry = entries[Name(structure: structure, field: name)],
      entry.kind == Kind.constant
    else { return nil }
    return entry.value
  }

  /// The name of the constant with this value.
  func word(_ structure: String, for value: UInt64) -> String? { words[structure]?[value] }

  /// The first element of a list of this structure, and how many lists there are.
  func root(_ structure: String) -> (address: UInt64, count: Int)? {
    guard let entry = entries[Name(structure: structure, field: "root")], entry.kind == Kind.root
    else { return nil }
    return (entry.value, Int(min(entry.size, UInt64(Limits.queues))))
  }

  /// Where the given fields are; nil if the engine does not describe one of them.
  func layout(_ structure: String, _ names: [String]) -> RecordLayout? {
    var fields: [String: RecordLayout.Field] = [:]
    for name in names {
      guard let entry = entries[Name(structure: structure, field: name)],
        entry.kind == Kind.number || entry.kind == Kind.address,
        entry.size >= 1, entry.size <= 64, entry.value <= UInt64(Limits.structure)
      else { return nil }
      fields[name] = RecordLayout.Field(offset: Int(entry.value), size: Int(entry.size))
    }
    return RecordLayout(fields)
  }
}
