// Lines — the lines that several threads print, kept in order, and waits for them.

import Foundation

final class Lines: @unchecked Sendable {
  // SAFETY: `lines` is touched with `lock` held only.
  private let lock = NSLock()
  private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }

  var count: Int { lock.withLock { lines.count } }

  /// All lines as one.
  func joined() -> String { lock.withLock { lines.joined(separator: ", ") } }

  /// Prints the lines and removes them.
  func show(sorted: Bool = false) {
    let taken = lock.withLock {
      defer { lines = [] }
      return sorted ? lines.sorted() : lines
    }
    for line in taken { print(line) }
  }
}

/// Runs the current loop until the condition holds, for a minute at most.
func runLoop(until condition: () -> Bool) {
  let limit = Date(timeIntervalSinceNow: 60)
  while !condition(), limit.timeIntervalSinceNow > 0 {
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
  }
}

/// Sleeps until the condition holds, for a minute at most.
func sleep(until condition: () -> Bool) {
  let limit = Date(timeIntervalSinceNow: 60)
  while !condition(), limit.timeIntervalSinceNow > 0 { Thread.sleep(forTimeInterval: 0.001) }
}
