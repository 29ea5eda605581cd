// JSONText — writes a value as JSON, on one line, in ASCII but for the texts.

indirect enum JSONText {
  case null
  case flag(Bool)
  case number(String)
  case text(String)
  case array([JSONText])
  case object([(String, JSONText)])

  static func number(_ value: (some BinaryInteger)?) -> JSONText {
    value.map { .number("\($0)") } ?? .null
  }

  static func text(_ value: String?) -> JSONText { value.map { .text($0) } ?? .null }

  var written: String {
    switch self {
    case .null: "null"
    case .flag(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .text(let text): JSONText.quoted(text)
    case .array(let items): "[" + items.map(\.written).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { JSONText.quoted($0.0) + ":" + $0.1.written }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}", "<":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
