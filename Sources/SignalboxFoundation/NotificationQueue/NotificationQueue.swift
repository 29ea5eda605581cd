// NotificationQueue — posts notifications later, and coalesces similar ones.
//
// Touching    `center`: never changes. The waiting notifications belong to the thread that
//             queued them: see `NotificationLine`.

public import Foundation
public import SignalboxRunLoop

/// A queue in front of a notification center. The run loop of the thread that queues a
/// notification posts it, and posts similar ones only once.
///
/// ```swift
/// let changed = Notification(name: .documentChanged, object: document)
/// NotificationQueue.default.enqueue(changed, postingStyle: .asap)
/// NotificationQueue.default.enqueue(changed, postingStyle: .asap)   // replaces the first
/// ```
///
/// Several threads may use a queue at the same time. A notification is posted on the thread
/// that queued it, coalesced with that thread's own notifications, and dropped when the thread
/// ends. A queue keeps no loop running, and an empty queue costs its loop nothing. Waiting
/// notifications keep their queue alive.
///
/// *Differences*: the toolchain's queue posts the newest notification first, and posts one that is
/// queued for a mode only if the mode is also a common mode. This queue posts in the order in
/// which you queue, as Apple documents it, and in every mode that you name.
///
/// Source: Apple's documentation of `NotificationQueue` and "Notification Queues".
open class NotificationQueue: NSObject {
  let center: NotificationCenter

  /// The calling thread's queue in front of `NotificationCenter.default`, created on first use
  /// and freed with the thread.
  open class var `default`: NotificationQueue { NotificationLine.ofThisThread.defaultQueue }

  /// Creates a queue in front of a notification center.
  public init(notificationCenter: NotificationCenter) { center = notificationCenter }

  /// When a notification is posted.
  public enum PostingStyle: UInt, Sendable {
    /// When the run loop is about to sleep because it has nothing else to do. As soon as the
    /// loop has other work, the remaining notifications wait.
    case whenIdle = 1
    /// At the end of the run loop's current pass, or of its next one.
    case asap = 2
    /// At once, before the call returns.
    case now = 3
  }

  /// Which notifications count as similar.
  public struct NotificationCoalescing: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// None.
    public static var none: NotificationCoalescing { [] }
    /// Those with the same name.
    public static var onName: NotificationCoalescing { Self(rawValue: 1) }
    /// Those with the same sender: the same object, or equal values. Notifications without a
    /// sender count as having the same one.
    public static var onSender: NotificationCoalescing { Self(rawValue: 2) }
  }

  /// Queues a notification for the default mode. It replaces those with the same name and sender.
  open func enqueue(_ notification: Notification, postingStyle: PostingStyle) {
    enqueue(
      notification, postingStyle: postingStyle, coalesceMask: [.onName, .onSender], forModes: nil)
  }

  /// Queues a notification and replaces the similar ones that wait.
  ///
  /// The similar notifications leave the queue, whatever their posting style, and the new one
  /// goes to the end of the queue, or is posted at once with ``PostingStyle/now``.
  ///
  /// The call looks at each notification that the thread has queued, and makes no system call.
  ///
  /// - Parameters:
  ///   - notification: the notification to post.
  ///   - postingStyle: when to post it.
  ///   - coalesceMask: what makes other notifications similar; with both options, both must match.
  ///   - modes: the run-loop modes in which it may be posted; `nil` is the default mode. With
  ///     ``PostingStyle/now``, the queue drops the notification if the loop runs in a mode that
  ///     is not in this list; `.common` in the list then matches no other mode.
  /// Source: Apple's documentation of `enqueue(_:postingStyle:coalesceMask:forModes:)`.
  open func enqueue(
    _ notification: Notification, postingStyle: PostingStyle,
    coalesceMask: NotificationCoalescing, forModes modes: [SignalboxRunLoop.RunLoop.Mode]?
  ) {
    NotificationLine.ofThisThread.enqueue(
      notification, of: self, postingStyle, coalesceMask, NotificationModes(modes))
  }

  /// Removes similar notifications that the calling thread has queued.
  ///
  /// - Parameters:
  ///   - notification: the notification to compare with.
  ///   - coalesceMask: what makes other notifications similar; ``NotificationCoalescing/none``
  ///     removes none.
  open func dequeueNotifications(
    matching notification: Notification, coalesceMask: NotificationCoalescing
  ) {
    NotificationLine.ofThisThread.dequeue(notification, of: self, coalesceMask)
  }
}

// SAFETY: unavailable, as in Foundation; declared so that the compiler rejects sending a queue.
@available(*, unavailable)
extension NotificationQueue: @unchecked Sendable {}
