// LockOrderCheck — locks taken in two orders are told of, even where they did not hang.

import SignalboxDispatch
import SignalboxRuntime

/// Checks, while it is on, that locks are taken in the same order everywhere.
///
/// ```swift
/// LockOrderCheck.begin(.call { text in log.error("\(text)") })
/// ```
///
/// One thread takes A and then B, another one B and then A: that works as long as they
/// do not meet, and then both wait for ever. Here one run in which both orders are
/// seen, at whatever times, gets a report: it names both threads, and where each of
/// the locks was taken. Longer circles are found too. Each pair is told of once.
///
/// Locks of the same name are taken for one another: an order that was seen of two of
/// them counts for all. Among themselves they are looked at one by one. A lock
/// without a name stands for itself.
///
/// A lock that was taken by a try, or with a limit, ends no circle, but counts as held.
/// Locking again what one holds is no order. A reader counts like a writer: behind a
/// writer that waits, two readers can wait for each other. Queues take no part.
///
/// The environment switches it on for a program as it is: `SIGNALBOX_CHECK=lock-order`
/// says what it finds on standard error, `SIGNALBOX_CHECK=lock-order-trap` ends the
/// process. Reports of deadlocks then tell where the locks were taken, too.
///
/// Any thread. Each lock that is taken costs some microseconds while the check is on,
/// and nothing while it is off.
///
/// *Beyond Apple's API.*
public enum LockOrderCheck {
  /// What becomes of a report.
  public enum Response: Sendable {
    /// It is said on standard error, and the program goes on.
    case say
    /// The process ends with it.
    case trap
    /// It is handed to a function, which runs on a worker of its own, on a global
    /// queue.
    case call(@Sendable (String) -> Void)
  }

  /// Begins the check, with nothing learned. If it is on, only the response changes.
  ///
  /// What threads hold at that moment is not known to it.
  public static func begin(_ response: Response = .say) {
    switch response {
    case .say: LockOrder.shared.begin(.say)
    case .trap: LockOrder.shared.begin(.trap)
    case .call(let handler):
      LockOrder.shared.begin(.call { text in ReportDelivery.deliver(text, to: handler) })
    }
  }

  /// Ends the check, and forgets what it has learned.
  public static func end() { LockOrder.shared.end() }

  /// Whether the check is on.
  public static var isOn: Bool { LockOrder.isOn }
}
