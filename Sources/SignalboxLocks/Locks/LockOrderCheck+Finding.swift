// LockOrderCheck+Finding — what the check has found, as values.

import SignalboxDiagnostics
import SignalboxRuntime

extension LockOrderCheck {
  /// Locks that were acquired in several orders, as values for a logger.
  ///
  /// ```swift
  /// LockOrderCheck.begin(
  ///   .callWithFinding { finding in
  ///     logger.error(
  ///       "lock order", metadata: ["locks": "\(finding.orders.map { [$0.held, $0.acquired] })"])
  ///   })
  /// ```
  ///
  /// *Beyond Apple's API.*
  public struct Finding: Sendable {
    /// A thread acquired a lock while it held another one.
    public struct Order: Sendable {
      /// The thread: "thread 7 (kernel 4711, "worker")".
      public let thread: String
      /// The lock that the thread held: "the NSLock "accounts"".
      public let held: String
      /// Where the thread had acquired it, the innermost function first.
      public let heldAt: [String]
      /// The lock that the thread then acquired.
      public let acquired: String
      /// Where the thread acquired it, the innermost function first.
      public let acquiredAt: [String]
    }

    /// The report in words, as the other responses print or receive it.
    public let text: String
    /// The orders that form the cycle: the lock acquired in each is the lock held in the next, and
    /// the lock acquired in the last is the lock held in the first. Locks of one name are one lock
    /// here.
    public let orders: [Order]

    init(_ text: String, _ found: LockOrder.Finding) {
      self.text = text
      orders = found.orders.map { order in
        Order(
          thread: order.thread, held: order.held, heldAt: order.heldAt, acquired: order.taken,
          acquiredAt: order.takenAt)
      }
    }
  }
}
