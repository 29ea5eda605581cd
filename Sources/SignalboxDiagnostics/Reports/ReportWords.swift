// ReportWords — formats names that programs give, so that they stay on one
// line.

import CSignalbox

enum ReportWords {
  /// The label in quotation marks.
  static func quoted(_ label: String) -> String { "\"\(onOneLine(label))\"" }

  /// The text with line ends and other control characters escaped, so that each
  /// line of a report describes one thing, whatever its name is.
  static func onOneLine(_ words: String) -> String {
    guard words.unicodeScalars.contains(where: breaksLine) else { return words }
    return words.unicodeScalars.reduce(into: "") { text, scalar in
      if breaksLine(scalar) {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
  }
}

enum ProcessNumber {
  /// The process ID, which is also the kernel's number of the first thread.
  static var current: Int32 { csb_process_id() }
}
