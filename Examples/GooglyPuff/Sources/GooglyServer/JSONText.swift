// JSONText — JSON, written byte by byte.

struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func object(_ body: (inout JSONText) -> Void) { enclosed("{", "}", body) }

  mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { put(value) } else { raw("null") }
  }

  mutating func member(_ name: String, _ value: Int?) {
    key(name)
    raw(value.map(String.init) ?? "null")
  }

  mutating func member(_ name: String, _ value: Bool) {
    key(name)
    raw(value ? "true" : "false")
  }

  /// Milliseconds, to the microsecond.
  mutating func member(_ name: String, microseconds: Int) {
    key(name)
    let rest = String(microseconds % 1_000)
    raw("\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest)
  }

  mutating func member(_ name: String, object body: ((inout JSONText) -> Void)?) {
    key(name)
    if let body { object(body) } else { raw("null") }
  }

  /// `items` are JSON themselves.
  mutating func member(_ name: String, items: [[UInt8]]) {
    key(name)
    bytes.reserveCapacity(bytes.count + items.reduce(2) { $0 + $1.count + 1 })
    bytes.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += item
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func enclosed(
    _ opening: String, _ closing: String, _ body: (inout JSONText) -> Void
  ) {
    raw(opening)
    needsComma = false
    body(&self)
    raw(closing)
    needsComma = true
  }

  private mutating func key(_ name: String) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    put(name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func raw(_ text: String) { bytes += text.utf8 }

  private mutating func put(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": raw("\\\"")
      case "\\": raw("\\\\")
      // Two ends of lines that JavaScript once did not take, and what begins an element in a page.
      case "\u{2028}", "\u{2029}", "<", "\0"..<" ", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
      default: raw(String(scalar))
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
