// RecordLayout — the fields of a structure that are read together, in one piece.

struct RecordLayout {
  struct Field {
    let offset: Int
    let size: Int
  }

  private let fields: [String: Field]
  private let start: Int
  private let size: Int

  init?(_ fields: [String: Field]) {
    guard let start = fields.values.map(\.offset).min(),
      let end = fields.values.map({ $0.offset + $0.size }).max()
    else { return nil }
    self.fields = fields
    self.start = start
    size = end - start
  }

  /// The address of a field of the structure at `base`.
  func address(of name: String, at base: UInt64) -> UInt64 {
    fields[name].map { base &+ UInt64($0.offset) } ?? 0
  }

  func read(at base: UInt64, from memory: TargetMemory) -> Record? {
    guard base != 0 else { return nil }
    return memory.bytes(at: base &+ UInt64(start), count: size).map { bytes in
      Record(values: fields.mapValues { (bytes, $0.offset - start, $0.size) })
    }
  }
}

/// What was read of a structure.
struct Record {
  fileprivate let values: [String: (bytes: [UInt8], offset: Int, size: Int)]

  /// The number in a field; for a larger field, its first word.
  subscript(_ name: String) -> UInt64 { word(name, 0) }

  /// A word of a field.
  func word(_ name: String, _ index: Int) -> UInt64 {
    guard let (bytes, offset, size) = values[name] else { return 0 }
    let start = index * 8
    return start < size
      ? TargetMemory.number(bytes, at: offset + start, size: min(8, size - start)) : 0
  }

  func count(_ name: String) -> Int { (values[name]?.size ?? 0) / 8 }
}
