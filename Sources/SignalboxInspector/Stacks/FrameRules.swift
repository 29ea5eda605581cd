// FrameRules — how to find the caller's registers at a place in a function: one row of its call frame information.
//
// Only the rules that compilers make for usual functions are known: the frame address is a distance from a register,
// and what was saved is at a distance from the frame address. Any other rule, such as an
// expression, ends the stack.
//
// Sources     DWARF 5, section 6.4; System V ABI for x86-64, table 3.36 for the registers' numbers.

struct FrameRules: Equatable {
  /// The register from which the frame address is found, and the distance.
  var register: UInt64 = 0
  var distance: Int64 = 0
  /// Where the caller's frame register is, relative to the frame address; nil if it is unchanged.
  var savedFrame: Int64?
  /// Where the return address is; nil if the function is the outermost one.
  var returnAddress: Int64?

  enum Register {
    static let frame: UInt64 = 6
    static let stack: UInt64 = 7
    static let returnAddress: UInt64 = 16
  }

  /// The row for a place.
  ///
  /// - Parameters:
  ///   - initial: the instructions of the common entry.
  ///   - distance: from the function's first byte to the place.
  /// - Returns: nil if a rule is not known.
  init?(
    initial: ByteReader, _ own: ByteReader, factors: (code: UInt64, data: Int64),
    distance: UInt64
  ) {
    var machine = Machine(factors: factors, end: distance)
    var initial = initial, own = own
    guard machine.run(&initial) != .unknown else { return nil }
    machine.first = machine.row
    guard machine.run(&own) != .unknown else { return nil }
    self = machine.row
  }

  private init() {}

  private struct Machine {
    let factors: (code: UInt64, data: Int64)
    /// The place, from the function's first byte.
    let end: UInt64
    var row = FrameRules()
    /// The row of the common entry.
    var first = FrameRules()
    var place: UInt64 = 0
    var kept: [FrameRules] = []

    enum Outcome { case done, unknown }

    init(factors: (code: UInt64, data: Int64), end: UInt64) {
      self.factors = factors
      self.end = end
    }

    mutating func run(_ bytes: inout ByteReader) -> Outcome {
      while let code = bytes.number(1) {
        let low = code & 0x3F
        switch code >> 6 {
        case 1: place &+= low &* factors.code
        case 2:
          guard let factor = bytes.unsigned() else { return .unknown }
          save(low, Int64(truncatingIfNeeded: factor) &* factors.data)
        case 3: restore(low)
        default: guard extended(low, &bytes) else { return .unknown }
        }
        if place > end { return .done }
      }
      return .done
    }

    private mutating func save(_ register: UInt64, _ distance: Int64?) {
      if register == Register.frame { row.savedFrame = distance }
      if register == Register.returnAddress { row.returnAddress = distance }
    }

    private mutating func restore(_ register: UInt64) {
      if register == Register.frame { row.savedFrame = first.savedFrame }
      if register == Register.returnAddress { row.returnAddress = first.returnAddress }
    }

    /// Returns false if the instruction is not known.
    private mutating func extended(_ code: UInt64, _ bytes: inout ByteReader) -> Bool {
      switch code {
      case 0x00: break
      case 0x02, 0x03, 0x04:
        guard let step = bytes.number(1 << (Int(code) - 2)) else { return false }
        place &+= step &* factors.code
      case 0x05:
        guard let register = bytes.unsigned(), let factor = bytes.unsigned() else { return false }
        save(register, Int64(truncatingIfNeeded: factor) &* factors.data)
      case 0x06:
        guard let register = bytes.unsigned() else { return false }
        restore(register)
      case 0x07, 0x08:
        // An undefined return address means the outermost function. Except for the frame register,
        // other registers do not matter.
        guard let register = bytes.unsigned(), register != Register.frame else { return false }
        save(register, nil)
      case 0x0A:
        guard kept.count < Limits.chain else { return false }
        kept.append(row)
      case 0x0B:
        guard let last = kept.popLast() else { return false }
        row = last
      case 0x0C:
        guard let register = bytes.unsigned(), let distance = bytes.unsigned() else { return false }
        row.register = register
        row.distance = Int64(truncatingIfNeeded: distance)
      case 0x0D:
        guard let register = bytes.unsigned() else { return false }
        row.register = register
      case 0x0E:
        guard let distance = bytes.unsigned() else { return false }
        row.distance = Int64(truncatingIfNeeded: distance)
      case 0x2E: return bytes.unsigned() != nil
      default: return false
      }
      return true
    }
  }
}
