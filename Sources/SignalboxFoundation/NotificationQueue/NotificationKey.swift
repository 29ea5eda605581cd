// NotificationKey — by what a queued notification is similar to others: its queue, its name and
// its sender.

import Foundation

struct NotificationKey {
  /// Who sends a notification.
  private enum Sender {
    case nobody
    /// SAFETY: the notification keeps the object, and so the number is no other's.
    case object(ObjectIdentifier)
    case value(AnyHashable)

    /// A value that cannot be compared is similar to none.
    static func == (a: Sender, b: Sender) -> Bool {
      switch (a, b) {
      case (.nobody, .nobody): true
      case (.object(let a), .object(let b)): a == b
      case (.value(let a), .value(let b)): a == b
      default: false
      }
    }

    init?(_ sender: Any?) {
      guard let sender else {
        self = .nobody
        return
      }
      if type(of: sender) is AnyObject.Type {
        self = .object(ObjectIdentifier(sender as AnyObject))
      } else if let value = sender as? AnyHashable {
        self = .value(value)
      } else {
        return nil
      }
    }
  }

  private let queue: ObjectIdentifier
  private let name: Notification.Name
  /// Of the name: most others are told by it.
  let mark: Int
  private let sender: Sender?

  init(_ notification: Notification, of queue: NotificationQueue) {
    self.queue = ObjectIdentifier(queue)
    name = notification.name
    mark = name.hashValue
    sender = Sender(notification.object)
  }

  func isSimilar(
    to other: NotificationKey, _ mask: NotificationQueue.NotificationCoalescing
  ) -> Bool {
    guard queue == other.queue, !mask.isEmpty else { return false }
    if mask.contains(.onName), mark != other.mark || name != other.name { return false }
    if mask.contains(.onSender) {
      guard let sender, let others = other.sender else { return false }
      return sender == others
    }
    return true
  }
}
