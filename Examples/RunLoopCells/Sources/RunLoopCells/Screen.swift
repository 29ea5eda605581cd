// Screen — where the cells are drawn: over and over on a terminal, else one below the other.
//
// Touching    everything: the main thread only.

import Glibc
import Signalbox

final class Screen {
  /// Whether it is a terminal that takes colours.
  let isColoured: Bool
  private let output: Int32
  private let rounds: Int?
  /// How many lines the last drawing took.
  private var drawnLines = 0
  /// The threads that drew, as `currentThreadWords` names them.
  private(set) var threads: Set<String> = []

  init(output: Int32 = STDOUT_FILENO, rounds: Int?) {
    self.output = output
    self.rounds = rounds
    let terminal = getenv("TERM").map { String(cString: $0) }
    isColoured = isatty(output) == 1 && getenv("NO_COLOR") == nil && terminal != "dumb"
    if isColoured { put("\u{1B}[?25l") }
  }

  /// The terminal's size; nil where there is none.
  static func size(of output: Int32 = STDOUT_FILENO) -> (columns: Int, lines: Int)? {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  func draw(_ alphas: Alphas, isRunning: Bool) {
    precondition(Thread.isMainThread, "only the main thread draws")
    threads.insert(currentThreadWords())
    // Elsewhere each drawing stays on the screen.
    if !isColoured && !isRunning { return }
    let count = rounds.map { "round \(alphas.round) of \($0)" } ?? "round \(alphas.round)"
    guard isColoured else {
      return put(([count] + Drawing.shaded(alphas)).joined(separator: "\n") + "\n\n")
    }
    let lines =
      ["\u{1B}[1m RunLoopCells\u{1B}[0m  \(count)"] + Drawing.coloured(alphas)
      + ["\u{1B}[2m \(words(isRunning))\u{1B}[0m"]
    let back = drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r" : ""
    put(back + lines.map { $0 + "\u{1B}[K\n" }.joined())
    drawnLines = lines.count
  }

  private func words(_ isRunning: Bool) -> String {
    isRunning
      ? "main asks, “\(AlphaThread.name)” computes; space stops, q ends"
      : "stopped; space starts, q ends"
  }

  /// The last line of all. The terminal has its cursor again.
  func end(_ words: String) {
    put((isColoured ? "\u{1B}[?25h" : "") + words + "\n")
  }

  private func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody is left to see it.
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
