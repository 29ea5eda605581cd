// ProgressDisplay — what the program says: lines, and on a terminal a status line
// below them that is written over.
//
// Touching  main queue only.

import Glibc

// SAFETY: `statusText` is confined to the main queue, see Touching above.
package final class ProgressDisplay: @unchecked Sendable {
  package static let program = "GooglyPuff"

  private let output: Int32
  private let errors: Int32
  private let outputIsTerminal: Bool
  private let errorsAreTerminal: Bool
  private let hasColours: Bool

  private var statusText: String?

  package init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
    self.output = output
    self.errors = errors
    outputIsTerminal = isatty(output) == 1
    errorsAreTerminal = isatty(errors) == 1
    hasColours = outputIsTerminal && getenv("NO_COLOR") == nil
  }

  package enum Colour: String {
    case plain = ""
    case green = "\u{1B}[32m"
    case dim = "\u{1B}[2m"
    case bold = "\u{1B}[1m"
    case red = "\u{1B}[31m"
  }

  /// Writes one line; parts are coloured on a terminal.
  package func line(_ parts: (text: String, colour: Colour)...) {
    let text = parts.map { part in paint(printable(part.text), part.colour) }.joined()
    put(output, eraseStatus + text + "\n" + drawnStatus)
  }

  package func line(_ text: String) {
    line((text, .plain))
  }

  /// Says what went wrong with what, on the error stream.
  package func failure(_ subject: String, _ reason: String) {
    let text = printable("\(Self.program): \(subject): \(reason)")
    if outputIsTerminal, statusText != nil { put(output, eraseStatus) }
    let isRed = errorsAreTerminal && hasColours
    put(errors, (isRed ? Colour.red.rawValue + text + Self.reset : text) + "\n")
    if outputIsTerminal, statusText != nil { put(output, drawnStatus) }
  }

  /// Replaces the status line; it is seen on a terminal only.
  package func status(_ text: String?) {
    guard outputIsTerminal, text != statusText else { return }
    let erase = eraseStatus
    statusText = text
    put(output, erase + drawnStatus)
  }

  // MARK: - Terminal

  private static let reset = "\u{1B}[0m"

  private var eraseStatus: String {
    outputIsTerminal && statusText != nil ? "\r\u{1B}[K" : ""
  }

  private var drawnStatus: String {
    guard outputIsTerminal, let statusText else { return "" }
    // A line that wraps could not be written over.
    return paint(String(printable(statusText).prefix(max(columns - 1, 1))), .dim)
  }

  private var columns: Int {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func paint(_ text: String, _ colour: Colour) -> String {
    guard hasColours, colour != .plain else { return text }
    return colour.rawValue + text + Self.reset
  }

  /// A file's name may hold anything, commands to the terminal included.
  private func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let category = scalar.properties.generalCategory
      let isCommand = category == .control || category == .lineSeparator
      result.unicodeScalars.append(isCommand ? "\u{FFFD}" : scalar)
    }
    return result
  }

  private func put(_ descriptor: Int32, _ text: String) {
    guard !text.isEmpty else { return }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        // Nobody is left to tell.
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}
