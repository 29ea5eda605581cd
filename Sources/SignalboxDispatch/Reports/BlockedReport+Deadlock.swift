// BlockedReport+Deadlock — reports a deadlock to a handler instead of trapping.

import SignalboxDiagnostics
import SignalboxRuntime

extension BlockedReport {
  /// Calls `handler` with each deadlock, instead of trapping or reporting on standard error.
  /// `nil` removes the handler.
  ///
  /// ```swift
  /// BlockedReport.onDeadlock { text in log.fault("\(text)") }
  /// ```
  ///
  /// A deadlock is a cycle of threads that wait for each other, or a thread that waits for a lock
  /// which it holds itself. None of these threads can continue by itself. Without a handler,
  /// Signalbox reports a cycle that another thread may still end, for example by unlocking an
  /// `NSLock`, and ends the process for any other cycle. With a handler, the threads of the cycle
  /// wait forever and the rest of the program continues. The text names each thread of the
  /// cycle, what it holds, what it waits for and for how long.
  ///
  /// The handler runs on a worker of its own, on a global queue, a few hundredths of a second
  /// after the cycle was closed. It is called once for each cycle. Misuse that Signalbox detects
  /// before a thread waits still traps, such as `sync` from an item of the same serial queue.
  ///
  /// Any thread may call it.
  ///
  /// *Beyond Apple's API.*
  public static func onDeadlock(_ handler: (@Sendable (String) -> Void)?) {
    guard let handler else { return DeadlockReport.shared.handle(with: nil) }
    DeadlockReport.shared.handle { finding in ReportDelivery.deliver(finding.text, to: handler) }
  }
}
