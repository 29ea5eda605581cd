// DisplayText — text from another process, in a form that is safe for a terminal.

enum DisplayText {
  /// Repairs what is not UTF-8, and escapes what could break a line or control a terminal, and backslashes,
  /// so that an escape cannot be imitated.
  static func make(_ bytes: [UInt8], isCut: Bool) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar == "\\" || controls(scalar) {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return isCut ? text + "…" : text
  }

  /// A text that `make` made, in quotation marks that it cannot end.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// Control characters, line separators, and what changes the direction of text.
  private static func controls(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
