// OperationPhase — the phases of an operation.
//
//   new ──▶ enqueued ──▶ starting ──▶ executing ──▶ finishing ──▶ finished
//    │          │            │                          ▲             ▲
//    └──────────┼── start() by hand ───▶ executing      │             │
//               └────────────┴── cancelled ─────────────┘             │
//         (a subclass that itself reports when it is finished: from anywhere)

/// In the order in which an operation passes them; none occurs twice.
enum OperationPhase: UInt8, Comparable, Sendable {
  /// In no queue, and not started.
  case new
  /// In a queue, and not begun.
  case enqueued
  /// The queue is calling `start()`, or a subclass's own `start()` is running.
  case starting
  /// In `main()`.
  case executing
  /// `main()` has returned or was skipped; the subclass may still report that it is not
  /// finished.
  case finishing
  /// Finished; dependents and waiting threads are being notified.
  case finished

  static func < (a: OperationPhase, b: OperationPhase) -> Bool { a.rawValue < b.rawValue }
}
