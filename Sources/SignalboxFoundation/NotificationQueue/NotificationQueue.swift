// NotificationQueue — notifications that are posted later, and not twice.
//
// Touching    `center`: never changes. What waits belongs to the thread that has queued it: see
//             `NotificationLine`.

public import Foundation
public import SignalboxRunLoop

/// A queue of notifications in front of a notification center: each is posted when the run
/// loop of the thread that has queued it comes to it, and similar ones are posted once.
///
/// ```swift
/// let changed = Notification(name: .documentChanged, object: document)
/// NotificationQueue.default.enqueue(changed, postingStyle: .asap)
/// NotificationQueue.default.enqueue(changed, postingStyle: .asap)   // replaces the first
/// ```
///
/// Any thread may use a queue, at the same time as others: what a thread has queued is posted on
/// that thread, coalesced with what it has queued itself, and dropped when it ends. A queue keeps
/// no loop running, and one that is empty costs its loop nothing. Notifications that wait
/// keep their queue.
///
/// *Differences*: the toolchain's queue posts the newest notification first, and posts one that is
/// queued for a mode only if the mode is also a common mode. This queue posts in the order in
/// which you queue, as Apple documents it, and in every mode that you name.
///
/// Source: Apple's documentation of `NotificationQueue` and "Notification Queues".
open class NotificationQueue: NSObject {
  let center: NotificationCenter

  /// The calling thread's queue in front of `NotificationCenter.default`. It is made
  /// when it is first asked for, and freed with the thread.
  open class var `default`: NotificationQueue { NotificationLine.ofThisThread.defaultQueue }

  /// A queue in front of a center.
  public init(notificationCenter: NotificationCenter) { center = notificationCenter }

  /// When a notification is posted.
  public enum PostingStyle: UInt, Sendable {
    /// When the run loop is about to sleep, since it has nothing else to do. Each time that it
    /// has something again, the rest waits.
    case whenIdle = 1
    /// At the end of the run loop's current pass, or of its next one.
    case asap = 2
    /// At once, before the call returns.
    case now = 3
  }

  /// Which notifications are similar.
  public struct NotificationCoalescing: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// None is.
    public static let none: NotificationCoalescing = []
    /// Those of one name.
    public static let onName = NotificationCoalescing(rawValue: 1)
    /// Those of one sender: of the same object, or of equal values. Those without one are of
    /// one sender.
    public static let onSender = NotificationCoalescing(rawValue: 2)
  }

  /// Queues a notification for the default mode, in place of those of the same name and sender.
  open func enqueue(_ notification: Notification, postingStyle: PostingStyle) {
    enqueue(
      notification, postingStyle: postingStyle, coalesceMask: [.onName, .onSender], forModes: nil)
  }

  /// Queues a notification in place of the similar ones that wait.
  ///
  /// The similar notifications leave the queue, whatever their posting style, and the new one
  /// goes to the end of the queue, or is posted at once with ``PostingStyle/now``.
  ///
  /// Costs a look at each notification that the thread has in line, and no system call.
  ///
  /// - Parameters:
  ///   - notification: what to post.
  ///   - postingStyle: when.
  ///   - coalesceMask: what makes others similar; both means both at once.
  ///   - modes: in which modes of the run loop it may be posted; `nil` is the default mode.
  ///     With ``PostingStyle/now``, the queue drops the notification if the loop runs in a mode
  ///     that is not in this list; `.common` in the list stands for no other mode then.
  ///
  /// Source: Apple's documentation of `enqueue(_:postingStyle:coalesceMask:forModes:)`.
  open func enqueue(
    _ notification: Notification, postingStyle: PostingStyle,
    coalesceMask: NotificationCoalescing, forModes modes: [SignalboxRunLoop.RunLoop.Mode]?
  ) {
    NotificationLine.ofThisThread.enqueue(
      notification, of: self, postingStyle, coalesceMask, NotificationModes(modes))
  }

  /// Takes similar notifications out of the queue: those that the calling thread has queued.
  ///
  /// - Parameters:
  ///   - notification: to which they are similar.
  ///   - coalesceMask: what makes them so; with ``NotificationCoalescing/none`` none are.
  open func dequeueNotifications(
    matching notification: Notification, coalesceMask: NotificationCoalescing
  ) {
    NotificationLine.ofThisThread.dequeue(notification, of: self, coalesceMask)
  }
}

// SAFETY: unavailable; it is here to say no, as Foundation does.
@available(*, unavailable)
extension NotificationQueue: @unchecked Sendable {}
