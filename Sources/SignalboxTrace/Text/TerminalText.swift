// TerminalText — fits untrusted text into the columns of a terminal.
//
// Labels come from the program and may hold any input that it received.
// Characters that would move the cursor, change colors or reverse the text
// direction are replaced by their code points.

enum TerminalText {
  /// The text with all characters escaped that would affect a terminal.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      case .format where scalar != "\u{200D}":
        // This escapes direction marks and keeps the joiner, which combines
        // several emoji into one.
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The number of columns that the text takes in a terminal.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// The text in exactly this many columns: truncated with an ellipsis, or
  /// padded with spaces.
  static func fit(_ text: String, _ columns: Int) -> String {
    let text = escaped(text)
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

  /// The text, truncated to at most this many columns.
  static func truncated(_ text: String, _ columns: Int) -> String {
    let text = escaped(text)
    return width(text) <= columns ? text : fit(text, columns).trimmedAtEnd
  }

  /// The text, aligned to the right of this many columns.
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
    // Wide according to the East Asian Width tables: Hangul Jamo, CJK, kana,
    // Hangul syllables, full-width forms.
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

extension String {
  /// The text without trailing spaces.
  var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
