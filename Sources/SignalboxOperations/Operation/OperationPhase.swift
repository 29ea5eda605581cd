// OperationPhase — how far an operation has come.
//
//   new ──▶ enqueued ──▶ starting ──▶ executing ──▶ finishing ──▶ finished
//    │          │            │                          ▲             ▲
//    └──────────┼── start() by hand ───▶ executing      │             │
//               └────────────┴── cancelled ─────────────┘             │
//         (a subclass that says itself when it is finished: from anywhere)

/// In the order in which an operation passes them; none comes twice.
enum OperationPhase: UInt8, Comparable, Sendable {
  /// In no queue, and not started.
  case new
  /// In a queue, which has not begun with it.
  case enqueued
  /// Its queue calls `start()`, or a subclass's own is at work.
  case starting
  /// In `main()`.
  case executing
  /// `main()` is over, or was passed by; the subclass may yet say that it is not
  /// finished.
  case finishing
  /// It is over: those that depend on it and wait for it were told.
  case finished

  static func < (a: OperationPhase, b: OperationPhase) -> Bool { a.rawValue < b.rawValue }
}
