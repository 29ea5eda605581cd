// NotificationKey — the queue, name and sender of a queued notification. They determine which other
// notifications are similar.

import Foundation

struct NotificationKey {
  private enum Sender {
    case nobody
    /// SAFETY: the notification keeps the object alive, so no other object has this identifier.
    case object(ObjectIdentifier)
    case value(AnyHashable)

    /// A value that cannot be compared is similar to no other.
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
  /// The name's hash, which distinguishes most names.
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
