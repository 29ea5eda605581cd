// Lines — the lines that closures on several threads print, kept in order.

import Dispatch

final class Lines: @unchecked Sendable {
  // SAFETY: `lines` is touched on `guardian` only.
  private let guardian = DispatchQueue(label: "corpus.lines")
  private var lines: [String] = []

  func add(_ line: String) { guardian.sync { lines.append(line) } }

  /// Prints the lines and removes them.
  func show(sorted: Bool = false) {
    let taken = guardian.sync {
      defer { lines = [] }
      return sorted ? lines.sorted() : lines
    }
    for line in taken { print(line) }
  }
}
