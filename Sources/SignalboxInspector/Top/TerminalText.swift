// TerminalText — text in columns of a terminal.

package enum TerminalText {
  /// How many columns a text takes.
  static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// Cuts a text, or fills it with spaces, so that it takes this many columns.
  static func fit(_ text: String, _ columns: Int, right: Bool = false) -> String {
    let cut = cut(text, columns)
    let padding = String(repeating: " ", count: max(0, columns - width(cut)))
    return right ? padding + cut : cut + padding
  }

  /// Cuts a text that takes more columns; the last column then shows that it was cut.
  static func cut(_ text: String, _ columns: Int) -> String {
    guard width(text) > columns else { return text }
    var cut = ""
    var used = 0
    for scalar in text.unicodeScalars {
      let next = width(scalar)
      if used + next > columns - 1 { break }
      cut.unicodeScalars.append(scalar)
      used += next
    }
    return columns > 0 ? cut + "~" : ""
  }

  /// Breaks a text into lines.
  static func wrapped(_ text: String, _ columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? String(word) : line + " " + word
      if width(longer) <= columns || line.isEmpty {
        line = longer
      } else {
        lines.append(line)
        line = "  " + word
      }
    }
    return lines + [line]
  }

  /// Marks take no column, and most of what is written in China, Japan and Korea takes two, as do pictures.
  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// A number in at most five columns.
  static func short(_ number: Double) -> String {
    var amount = number
    for unit in ["", "k", "M", "G", "T"] {
      if amount < 1000 {
        let tenths = Int((amount * 10).rounded())
        return tenths < 100 && !(unit.isEmpty && tenths % 10 == 0)
          ? "\(tenths / 10).\(tenths % 10)\(unit)" : "\(tenths / 10)\(unit)"
      }
      amount /= 1000
    }
    return "many"
  }
}
