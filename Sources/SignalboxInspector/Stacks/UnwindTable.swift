// UnwindTable — the call frame information of a file in a process's memory, found by its index.
//
// Sources     Linux Standard Base, "Exception Frames" (.eh_frame, .eh_frame_hdr).

struct UnwindTable {
  private let memory: TargetMemory
  private let start: UInt64
  /// The index: pairs of distances from `start`, of a function's first byte and of its entry.
  private let pairs: [UInt8]

  /// PT_GNU_EH_FRAME
  static let segment: UInt64 = 0x6474_E550

  private enum Encoding {
    static let pointer: UInt64 = 0x00
    static let four: UInt64 = 0x1B
    static let eight: UInt64 = 0x1C
  }

  /// nil if there is no index of the usual form.
  init?(at start: UInt64, in memory: TargetMemory) {
    // Version 1; the table's address and the number of pairs in four bytes; pairs of four bytes from the start.
    guard let head = memory.bytes(at: start, count: 12), head[0] == 1, head[2] == 0x03,
      head[3] == 0x3B, head[1] == 0x1B
    else { return nil }
    let count = TargetMemory.number(head, at: 8, size: 4)
    guard count > 0, count <= UInt64(Limits.functions),
      let pairs = memory.bytes(at: start &+ 12, count: Int(count) * 8)
    else { return nil }
    self.memory = memory
    self.start = start
    self.pairs = pairs
  }

  private func address(_ offset: Int) -> UInt64 {
    let distance = Int32(truncatingIfNeeded: TargetMemory.number(pairs, at: offset, size: 4))
    return start &+ UInt64(bitPattern: Int64(distance))
  }

  /// The rules at a place; nil if there are none, or if they are not known here.
  func rules(at place: UInt64) -> FrameRules? {
    var (low, high) = (0, pairs.count / 8)
    while low < high {
      let middle = low + (high - low) / 2
      if address(middle * 8) <= place { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    return rules(at: place, entry: address((low - 1) * 8 + 4))
  }

  /// The bytes of an entry, without its length; nil if they cannot be read.
  private func entry(at address: UInt64) -> [UInt8]? {
    guard let length = memory.number(at: address, size: 4), length >= 4,
      length <= UInt64(Limits.notes)
    else { return nil }
    return memory.bytes(at: address &+ 4, count: Int(length))
  }

  private func rules(at place: UInt64, entry address: UInt64) -> FrameRules? {
    guard let bytes = entry(at: address) else { return nil }
    var reader = ByteReader(bytes)
    guard let back = reader.number(4), back != 0,
      let common = Common(entry(at: address &+ 4 &- back))
    else { return nil }
    let field = address &+ 4 &+ UInt64(reader.position)
    let size = common.encoding == Encoding.four ? 4 : 8
    guard let begin = reader.number(size), let length = reader.number(size) else { return nil }
    let first: UInt64 =
      switch common.encoding {
      case Encoding.four: field &+ UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: begin)))
      case Encoding.eight: field &+ begin
      default: begin
      }
    guard place >= first, place - first < length else { return nil }
    if common.hasLength {
      guard let size = reader.unsigned(), reader.skip(size) else { return nil }
    }
    return FrameRules(
      initial: common.instructions, reader, factors: common.factors, distance: place - first)
  }

  /// What many entries have in common.
  private struct Common {
    let factors: (code: UInt64, data: Int64)
    let encoding: UInt64
    let hasLength: Bool
    let instructions: ByteReader

    init?(_ bytes: [UInt8]?) {
      guard let bytes else { return nil }
      var reader = ByteReader(bytes)
      guard reader.number(4) == 0, let version = reader.number(1), version == 1 || version == 3,
        let kinds = reader.text(), let code = reader.unsigned(), let data = reader.signed(),
        let register = version == 1 ? reader.number(1) : reader.unsigned(),
        register == FrameRules.Register.returnAddress
      else { return nil }
      factors = (code, data)
      hasLength = kinds.first == UInt8(ascii: "z")
      var encoding = Encoding.pointer
      if hasLength {
        guard let length = reader.unsigned() else { return nil }
        let end = reader.position + Int(clamping: length)
        for kind in kinds.dropFirst() {
          switch kind {
          case UInt8(ascii: "R"): encoding = reader.number(1) ?? Encoding.pointer
          case UInt8(ascii: "L"): _ = reader.number(1)
          case UInt8(ascii: "P"):
            let way = reader.number(1) ?? 0
            _ = reader.number([0x2: 2, 0x3: 4, 0xB: 4, 0xA: 2][way & 0xF] ?? 8)
          // A frame of a signal handler has rules of its own.
          default: return nil
          }
        }
        guard end <= bytes.count else { return nil }
        instructions = ByteReader(bytes, from: end)
      } else {
        instructions = reader
      }
      self.encoding = encoding
      guard [Encoding.pointer, Encoding.four, Encoding.eight].contains(encoding) else { return nil }
    }
  }
}
