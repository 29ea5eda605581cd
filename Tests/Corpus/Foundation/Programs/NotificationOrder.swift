// NotificationOrder — several notifications that are to be posted soon are posted in order.

import Foundation

enum NotificationOrder {
  static func run() {
    let center = NotificationCenter()
    let queue = NotificationQueue(notificationCenter: center)
    let lines = Lines()
    let observer = center.addObserver(forName: nil, object: nil, queue: nil) {
      lines.add($0.name.rawValue)
    }
    for number in 1...3 {
      queue.enqueue(Notification(name: .init("corpus.\(number)")), postingStyle: .asap)
    }
    runLoop { lines.count == 3 }
    print(lines.joined())
    withExtendedLifetime(observer) {}
  }
}
