// NotificationModes — a notification for one mode waits until the loop runs in that mode.

import Foundation

enum NotificationModes {
  static func run() {
    let own = RunLoop.Mode("corpus.notifications")
    let center = NotificationCenter()
    let queue = NotificationQueue(notificationCenter: center)
    let lines = Lines()
    let observer = center.addObserver(forName: nil, object: nil, queue: nil) { note in
      lines.add(note.name.rawValue)
    }
    queue.enqueue(
      Notification(name: Notification.Name("corpus.mode")), postingStyle: .asap,
      coalesceMask: .none, forModes: [own])
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01))
    print("in another mode:", lines.count)
    let timer = Timer(fire: Date(timeIntervalSinceNow: 60), interval: 0, repeats: false) { _ in }
    RunLoop.current.add(timer, forMode: own)
    for _ in 0..<20 where lines.count == 0 {
      _ = RunLoop.current.run(mode: own, before: Date(timeIntervalSinceNow: 0.005))
    }
    timer.invalidate()
    print("in its mode:", lines.count)
    withExtendedLifetime(observer) {}
  }
}
