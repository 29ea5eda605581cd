// A notification queue in front of a center of its own.

/// A queue of the thread that makes it, and one observer.
final class NotificationDesk {
  private let center = NotificationCenter()
  private let queue: NotificationQueue
  private let notifications: [Notification]
  private let observer: any NSObjectProtocol
  // A mode without a source or a timer is left at once.
  private let keeper = Timer(timeInterval: 1e6, repeats: true) { _ in }

  init(names: Int) {
    queue = NotificationQueue(notificationCenter: center)
    notifications = (0..<names).map { Notification(name: .init("org.signalbox.note.\($0)")) }
    observer = center.addObserver(forName: nil, object: nil, queue: nil) { _ in }
    RunLoop.current.add(keeper, forMode: .default)
  }

  func enqueue(_ number: Int) {
    queue.enqueue(notifications[number % notifications.count], postingStyle: .asap)
  }

  /// One pass of the thread's loop.
  func deliver() { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
}
