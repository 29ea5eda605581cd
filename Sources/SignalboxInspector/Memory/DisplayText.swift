// DisplayText — text from another process, in a form that a terminal can be given.

enum DisplayText {
  /// Repairs what is not UTF-8, and escapes what could break a line or control a terminal.
  static func make(_ bytes: [UInt8], isCut: Bool) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if controls(scalar) {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return isCut ? text + "…" : text
  }

  /// Control characters, line separators, and what changes the direction of text.
  private static func controls(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
