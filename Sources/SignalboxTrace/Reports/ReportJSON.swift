// ReportJSON — a writer of JSON, for reports.
//
// Every text is escaped so that the result is ASCII but for what a text itself holds, has no
// line end, and may stand within a page's script.

struct ReportJSON {
  private(set) var text = ""
  /// Whether something stands before what comes next.
  private var isFollowing = false

  init() {}

  // MARK: What holds others

  /// An object; as a member, under its name.
  mutating func object(_ name: String? = nil, _ members: (inout ReportJSON) -> Void) {
    enclose(name, "{", "}", members)
  }

  /// An array of objects.
  mutating func array<T>(
    _ name: String, of items: [T], _ members: (inout ReportJSON, T) -> Void
  ) {
    enclose(name, "[", "]") { json in
      for item in items { json.object { members(&$0, item) } }
    }
  }

  /// An array of texts.
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
      // A control character; what some readers take for a line end; what ends a script.
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}", "<":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
