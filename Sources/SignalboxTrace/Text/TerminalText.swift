// TerminalText — untrusted words in a terminal's columns.
//
// Labels are the program's, and may hold whatever a program was given: what would move the
// cursor, colour the screen or turn the direction of the line is written as its number.

enum TerminalText {
  /// The text, without anything that does something to a terminal.
  static func tame(_ text: String) -> String {
    var tame = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        tame += "\\u{\(String(scalar.value, radix: 16))}"
      case .format where scalar != "\u{200D}":
        // Marks of direction among them; the joiner makes one emoji of several.
        tame += "\\u{\(String(scalar.value, radix: 16))}"
      default: tame.unicodeScalars.append(scalar)
      }
    }
    return tame
  }

  /// How many columns it takes, as terminals reckon.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// The text in so many columns: cut, with a sign that it was, or filled with spaces.
  static func fit(_ text: String, _ columns: Int) -> String {
    let text = tame(text)
    let width = width(text)
    if width <= columns { return text + String(repeating: " ", count: columns - width) }
    var (cut, used) = ("", 0)
    for character in text {
      let width = self.width(character)
      if used + width > columns - 1 { break }
      cut.append(character)
      used += width
    }
    return cut + "…" + String(repeating: " ", count: max(0, columns - used - 1))
  }

  /// The text, cut to so many columns at most.
  static func cut(_ text: String, _ columns: Int) -> String {
    let text = tame(text)
    return width(text) <= columns ? text : fit(text, columns).trimmedAtEnd
  }

  /// At the right of so many columns.
  static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - width(text))) + text
  }

  private static func width(_ character: Character) -> Int {
    character.unicodeScalars.lazy.map { width($0) }.max() ?? 0
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return scalar == "\u{FE0F}" ? 2 : 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    // Wide by the East Asian tables: Hangul's first letters, CJK, kana, Hangul, full-width forms.
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

extension String {
  /// Without the spaces at its end.
  var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
