// Terminal — a terminal that can show a screen that changes.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct Terminal {
  /// Whether lines may be highlighted.
  private let hasStyles: Bool

  /// nil if standard input or output is not a terminal, or is one that only shows lines of text.
  init?() {
    let kind = variable("TERM") ?? ""
    guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1, !kind.isEmpty, kind != "dumb"
    else { return nil }
    hasStyles = (variable("NO_COLOR") ?? "").isEmpty
  }

  /// From here on this process draws, and its parent restores the terminal.
  func begin() {
    let error = csb_tool_guard_terminal(STDIN_FILENO)
    if error != 0 { fail("the terminal: \(String(cString: strerror(error)))", status: 1) }
    csb_tool_watch_size()
    csb_tool_enter_terminal(STDIN_FILENO)
  }

  var size: (columns: Int, rows: Int) {
    var columns: Int32 = 80
    var rows: Int32 = 24
    _ = csb_tool_terminal_size(STDOUT_FILENO, &columns, &rows)
    return (Int(columns), Int(rows))
  }

  /// Replaces what the screen shows.
  func show(_ lines: [TopScreen.Line]) {
    // From the first column of the first row on; each line ends by clearing what was behind it.
    let rows = lines.map { line in
      guard hasStyles, let code = line.style.code else { return line.text + "\u{1B}[K" }
      return "\u{1B}[\(code)m\(line.text)\u{1B}[K\u{1B}[0m"
    }
    put("\u{1B}[H" + rows.joined(separator: "\r\n") + "\u{1B}[J")
  }

  /// Waits for keys.
  ///
  /// - Returns: what was typed; nil if the terminal is gone.
  func keys(for milliseconds: Int32) -> [UInt8]? {
    var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard csb_tool_poll(&polled, 1, milliseconds) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
  }
}

extension TopScreen.Style {
  /// The code by which a terminal highlights a line.
  fileprivate var code: String? {
    switch self {
    case .plain: nil
    case .title: "1"
    case .heading: "2"
    case .selected: "7"
    case .alarm: "31"
    }
  }
}
