// ReportJSON — writes JSON for reports.
//
// The result is one line that may go into a page's script. Everything except
// the texts themselves is ASCII.

struct ReportJSON {
  private(set) var text = ""
  /// Whether the next value needs a comma before it.
  private var isFollowing = false

  init() {}

  // MARK: Objects and arrays

  /// Writes an object. If it is a member of another object, `name` is its name.
  mutating func object(_ name: String? = nil, _ members: (inout ReportJSON) -> Void) {
    enclose(name, "{", "}", members)
  }

  /// Writes an array of objects.
  mutating func array<T>(
    _ name: String, of items: [T], _ members: (inout ReportJSON, T) -> Void
  ) {
    enclose(name, "[", "]") { json in
      for item in items { json.object { members(&$0, item) } }
    }
  }

  /// Writes an array of texts.
  mutating func texts(_ name: String, _ items: [String]) {
    enclose(name, "[", "]") { json in
      for item in items {
        json.begin(nil)
        json.text += ReportJSON.quoted(item)
        json.isFollowing = true
      }
    }
  }

  private mutating func enclose(
    _ name: String?, _ opening: String, _ closing: String, _ body: (inout ReportJSON) -> Void
  ) {
    begin(name)
    text += opening
    isFollowing = false
    body(&self)
    text += closing
    isFollowing = true
  }

  // MARK: Values

  mutating func text(_ name: String, _ value: String?) {
    put(name, value.map(ReportJSON.quoted))
  }

  mutating func number(_ name: String, _ value: (some BinaryInteger)?) {
    put(name, value.map { "\($0)" })
  }

  mutating func flag(_ name: String, _ value: Bool) { put(name, value ? "true" : "false") }

  private mutating func put(_ name: String, _ value: String?) {
    begin(name)
    text += value ?? "null"
    isFollowing = true
  }

  private mutating func begin(_ name: String?) {
    if isFollowing { text += "," }
    if let name { text += ReportJSON.quoted(name) + ":" }
  }

  // MARK: Texts

  static func quoted(_ value: String) -> String {
    var quoted = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      // Control characters, line separators that some readers take for a line
      // end, and "<", which could end a script.
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}", "<":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
