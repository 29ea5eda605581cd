// StrictJSON — a JSON reader that rejects whatever RFC 8259 does not allow, for tests of code
// that writes JSON.

package indirect enum StrictJSON: Equatable, Sendable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case array([StrictJSON])
  case object([String: StrictJSON])

  package struct Refusal: Error, CustomStringConvertible {
    package let offset: Int
    package let what: String
    package var description: String { "at byte \(offset): \(what)" }
  }

  /// Parses a whole document.
  package init(_ document: String) throws {
    var reader = Reader(bytes: Array(document.utf8))
    self = try reader.value()
    reader.skipSpace()
    if reader.offset < reader.bytes.count { throw reader.refusal("more behind the value") }
  }

  /// The member of an object, or null for any other value.
  package subscript(name: String) -> StrictJSON {
    if case .object(let members) = self { return members[name] ?? .null }
    return .null
  }

  package var items: [StrictJSON] {
    if case .array(let items) = self { return items }
    return []
  }

  package var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  package var number: Double? {
    if case .number(let number) = self { return number }
    return nil
  }

  package var flag: Bool? {
    if case .flag(let flag) = self { return flag }
    return nil
  }
}

private struct Reader {
  let bytes: [UInt8]
  var offset = 0
  var depth = 0

  func refusal(_ what: String) -> StrictJSON.Refusal {
    StrictJSON.Refusal(offset: offset, what: what)
  }

  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  mutating func take(_ character: Character) -> Bool {
    guard next == character.asciiValue else { return false }
    offset += 1
    return true
  }

  mutating func need(_ character: Character) throws {
    if !take(character) { throw refusal("no \(character)") }
  }

  mutating func value() throws -> StrictJSON {
    skipSpace()
    guard depth < 64 else { throw refusal("too deep") }
    depth += 1
    defer { depth -= 1 }
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: StrictJSON) throws -> StrictJSON {
    for character in word { try need(character) }
    return value
  }

  private mutating func object() throws -> StrictJSON {
    try need("{")
    var members: [String: StrictJSON] = [:]
    skipSpace()
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      let name = try text()
      skipSpace()
      try need(":")
      let value = try value()
      guard members.updateValue(value, forKey: name) == nil else {
        throw refusal("\(name) comes twice")
      }
      skipSpace()
    } while take(",")
    try need("}")
    return .object(members)
  }

  private mutating func array() throws -> StrictJSON {
    try need("[")
    var items: [StrictJSON] = []
    skipSpace()
    if take("]") { return .array(items) }
    repeat {
      items.append(try value())
      skipSpace()
    } while take(",")
    try need("]")
    return .array(items)
  }

  private mutating func digits() throws {
    guard let byte = next, (0x30...0x39).contains(byte) else { throw refusal("no digit") }
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
  }

  private mutating func number() throws -> Double {
    let start = offset
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
      throw refusal("no number")
    }
    return number
  }

  private mutating func text() throws -> String {
    try need("\"")
    var units: [UInt8] = []
    while true {
      guard let byte = next else { throw refusal("a text without an end") }
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: units, as: UTF8.self) else {
          throw refusal("no UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): units += Array(String(try escaped()).utf8)
      case 0..<0x20: throw refusal("a control character within a text")
      default: units.append(byte)
      }
    }
  }

  private mutating func escaped() throws -> Character {
    guard let byte = next else { throw refusal("a text without an end") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let first = try unit()
      guard (0xD800..<0xDC00).contains(first) else {
        guard let scalar = Unicode.Scalar(first) else { throw refusal("half a character") }
        return Character(scalar)
      }
      try need("\\")
      try need("u")
      let second = try unit()
      guard (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      else { throw refusal("half a character") }
      return Character(scalar)
    default: throw refusal("an unknown escape")
    }
  }

  private mutating func unit() throws -> UInt32 {
    guard offset + 4 <= bytes.count else { throw refusal("a text without an end") }
    let digits = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    guard digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else {
      throw refusal("no four digits")
    }
    offset += 4
    return unit
  }
}
