// ReportWords — what programs call things, on one line.

import CSignalbox

enum ReportWords {
  /// A label in quotation marks.
  static func quoted(_ label: String) -> String { "\"\(onOneLine(label))\"" }

  /// The same words without line ends and other control characters: a report has one line for
  /// each thing, whatever that is called.
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
  /// The kernel's number of this process, which is that of its first thread.
  static var current: Int32 { csb_process_id() }
}
