// RequestTarget — the path and the query of a request, taken apart strictly.

struct RequestTarget: Equatable, Sendable {
  /// The parts between the slashes: `["photos", "5", "work"]`, and `[""]` for `/`.
  let path: [String]
  let query: [String: String]

  enum Mistake: Error, Equatable {
    case tooLong
    case malformed
  }

  /// Takes `/path?name=value&…`. Our paths need no escapes: one with them is nobody's.
  init(_ target: [UInt8], longest: Int) throws(Mistake) {
    guard target.count <= longest else { throw .tooLong }
    guard target.first == UInt8(ascii: "/"), target.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .malformed }
    let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    path = target[1..<mark].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    var query: [String: String] = [:]
    for pair in target[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = try Self.text(pair[..<equals])
      let value = try Self.text(pair[equals...].dropFirst())
      // Of two values each reader would take another.
      guard query.updateValue(value, forKey: name) == nil else { throw .malformed }
    }
    self.query = query
  }

  /// The UTF-8 that is written with escapes.
  private static func text(_ bytes: ArraySlice<UInt8>) throws(Mistake) -> String {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { throw .malformed }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else { throw .malformed }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// A number as we write it: digits, no sign, no zero in front.
func plainNumber(_ text: String, upTo most: Int) -> Int? {
  guard let number = Int(text), number >= 0, number <= most, String(number) == text else {
    return nil
  }
  return number
}

/// A label of a photo: any text of a few bytes that shows no controls.
func isLabel(_ text: String, longest: Int) -> Bool {
  !text.isEmpty && text.utf8.count <= longest
    && !text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      // Directions are turned by formats: the name would read otherwise than it is.
      case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
      default:
        ("\u{202A}"..."\u{202E}").contains(scalar) || ("\u{2066}"..."\u{2069}").contains(scalar)
      }
    }
}
