// Lines — what several threads have to say, kept in their order; and a wait for them.

import Foundation

final class Lines: @unchecked Sendable {
  // SAFETY: `lines` is touched with `lock` held only.
  private let lock = NSLock()
  private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }

  var count: Int { lock.withLock { lines.count } }

  /// All lines as one.
  func joined() -> String { lock.withLock { lines.joined(separator: ", ") } }

  /// Prints the lines and forgets them.
  func show(sorted: Bool = false) {
    let taken = lock.withLock {
      defer { lines = [] }
      return sorted ? lines.sorted() : lines
    }
    for line in taken { print(line) }
  }
}

/// Runs the current loop until something is so; a minute is the most that is waited.
func runLoop(until condition: () -> Bool) {
  let limit = Date(timeIntervalSinceNow: 60)
  while !condition(), limit.timeIntervalSinceNow > 0 {
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
  }
}

/// Sleeps until something is so; a minute is the most that is waited.
func sleep(until condition: () -> Bool) {
  let limit = Date(timeIntervalSinceNow: 60)
  while !condition(), limit.timeIntervalSinceNow > 0 { Thread.sleep(forTimeInterval: 0.001) }
}
