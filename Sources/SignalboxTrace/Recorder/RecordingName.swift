// RecordingName — the name of a recording's file, with the process and the time
// in it.

/// A file's name in which `%p` is the process ID, `%t` the time at which the
/// file is written, and `%%` a percent sign.
package struct RecordingName: Sendable {
  private enum Part {
    case text(String)
    case time
  }

  private var parts: [Part] = []

  /// Whether two recordings that are written at different times have different
  /// names.
  package var hasTime: Bool {
    parts.contains { if case .time = $0 { true } else { false } }
  }

  /// - Returns: nil if another character follows a `%`.
  package init?(_ name: String, process: Int32) {
    var text = ""
    var characters = name.makeIterator()
    while let character = characters.next() {
      guard character == "%" else {
        text.append(character)
        continue
      }
      switch characters.next() {
      case "p": text += "\(process)"
      case "%": text += "%"
      case "t":
        parts += [.text(text), .time]
        text = ""
      default: return nil
      }
    }
    parts.append(.text(text))
  }

  /// The path of a file that is written at this time.
  package func path(at time: WallTime) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .time: time.stamp
      }
    }.joined()
  }
}
