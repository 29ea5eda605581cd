// LockOrderCheck — reports locks that are acquired in two orders, even if no deadlock occurred.

import SignalboxDiagnostics
import SignalboxRuntime

/// Checks, while it is on, that locks are acquired in the same order everywhere.
///
/// ```swift
/// LockOrderCheck.begin(.call { text in log.error("\(text)") })
/// ```
///
/// One thread acquires A and then B, another one B and then A. That works as long as the threads
/// do not do so at the same time; if they do, both wait forever. The check reports both orders if
/// they occur in one run, even at different times. The report names both threads and shows where
/// each lock was acquired. The check also finds longer cycles. It reports each pair once.
///
/// Locks of the same name form one class: if a thread acquires locks of two classes in one order,
/// that order holds for all locks of these classes. Locks of the same class are checked
/// individually. A lock without a name is a class of its own.
///
/// A lock that was acquired by a try, or with a time limit, does not complete a cycle, but counts
/// as held. If a thread acquires a lock that it already holds, the check learns nothing from that.
/// A reader counts like a writer, because two readers can wait for each other behind a waiting
/// writer. Queues are not checked.
///
/// An environment variable switches the check on for an unchanged program:
/// `SIGNALBOX_CHECK=lock-order` reports on standard error, `SIGNALBOX_CHECK=lock-order-trap` ends
/// the process. Reports of deadlocks then also show where the locks were acquired.
///
/// Any thread may call it. Each acquired lock costs a few microseconds while the check is on, and
/// nothing while it is off.
///
/// *Beyond Apple's API.*
public enum LockOrderCheck {
  /// What to do with a report.
  public enum Response: Sendable {
    /// Print it on standard error and continue.
    case say
    /// End the process with it.
    case trap
    /// Pass it to a function, which runs on a worker of its own, on a global queue.
    case call(@Sendable (String) -> Void)
    /// Pass it as values to a function, which runs on a worker of its own, on a global queue.
    case callWithFinding(@Sendable (Finding) -> Void)
  }

  /// Begins the check with no known orders. If it is on already, only the response changes.
  ///
  /// The check does not know which locks threads hold at that moment.
  public static func begin(_ response: Response = .say) {
    switch response {
    case .say: LockOrder.shared.begin(.say)
    case .trap: LockOrder.shared.begin(.trap)
    case .call(let handler):
      LockOrder.shared.begin(.call { ReportDelivery.deliver($0.text, to: handler) })
    case .callWithFinding(let handler):
      LockOrder.shared.begin(
        .call { found in ReportDelivery.deliver(found.text) { handler(Finding($0, found)) } })
    }
  }

  /// Ends the check and forgets the known orders.
  public static func end() { LockOrder.shared.end() }

  /// Whether the check is on.
  public static var isOn: Bool { LockOrder.isOn }
}
