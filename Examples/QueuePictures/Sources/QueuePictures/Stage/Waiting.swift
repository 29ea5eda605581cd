// Waiting — asks who waits and what runs, for scenes in which one thing must not happen before
// another one is waited for. A report says it; no time is guessed.

import SignalboxTrace

enum Waiting {
  /// Whether the main thread waits in `sync`.
  static var mainIsInSync: Bool {
    SignalboxReport.now.threads.contains { $0.isMain && $0.wait?.reason.contains("sync") == true }
  }

  /// How many items of the queue run; nil if the report knows no such queue.
  static func running(on label: String) -> Int? {
    SignalboxReport.now.queues.first { $0.label == label }?.running
  }
}
