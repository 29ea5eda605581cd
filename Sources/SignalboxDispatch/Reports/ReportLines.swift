// ReportLines — what modules above add to the report of who waits for what.
//
// Touching    `sources`: under `lock`.

import SignalboxRuntime

extension BlockedReport {
  /// Has the lines that `lines` gives stand at the end of each report.
  package static func addLines(_ lines: @escaping @Sendable () -> [String]) {
    ReportLines.shared.add(lines)
  }
}

// SAFETY: see Touching.
final class ReportLines: @unchecked Sendable {
  static let shared = ReportLines()

  private let lock = EngineLock()
  private var sources: [@Sendable () -> [String]] = []

  func add(_ lines: @escaping @Sendable () -> [String]) {
    lock.withLock { sources.append(lines) }
  }

  /// The sources are called with no lock held.
  var all: [String] { lock.withLock { sources }.flatMap { $0() } }
}
