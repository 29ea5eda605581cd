// BlockedReport+Deadlock — a deadlock as a report, in place of the trap.

import SignalboxRuntime

extension BlockedReport {
  /// Has `handler` called with each deadlock, in place of the trap or of the report on standard
  /// error. `nil` takes that back.
  ///
  /// ```swift
  /// BlockedReport.onDeadlock { text in log.fault("\(text)") }
  /// ```
  ///
  /// A deadlock is a cycle of threads that wait for each other, or a thread that waits
  /// for a lock which it holds itself. None of them can go on by itself. A cycle that another
  /// thread may still end, as by unlocking an `NSLock`, is reported; any other one ends the
  /// process. With a handler its threads wait for ever instead, and the rest of the program runs.
  /// The text names each thread of the cycle, what it holds, what it waits for and for how long.
  ///
  /// The handler runs on a worker of its own, on a global queue, some hundredths of a
  /// second after the cycle was closed. It is called once for each cycle. What is
  /// found out before a thread waits at all, as `sync` onto the queue one is running
  /// on, traps all the same.
  ///
  /// Any thread.
  ///
  /// *Beyond Apple's API.*
  public static func onDeadlock(_ handler: (@Sendable (String) -> Void)?) {
    guard let handler else { return DeadlockReport.shared.handle(with: nil) }
    DeadlockReport.shared.handle { text in ReportDelivery.deliver(text, to: handler) }
  }
}
