// NotificationQueues — notifications posted now, soon and when idle; coalesced; and removed.

import Foundation

enum NotificationQueues {
  static let first = Notification.Name("corpus.first")
  static let second = Notification.Name("corpus.second")

  static func run() {
    print(NotificationQueue.default === NotificationQueue.default)
    let center = NotificationCenter()
    let queue = NotificationQueue(notificationCenter: center)
    let lines = Lines()
    let observer = center.addObserver(forName: nil, object: nil, queue: nil) { note in
      lines.add("\(note.name.rawValue) \(note.userInfo?["n"] as? Int ?? 0)")
    }
    queue.enqueue(Notification(name: first), postingStyle: .now)
    print(lines.count)
    lines.show()
    queue.enqueue(Notification(name: first), postingStyle: .asap)
    print(lines.count)
    runLoop { lines.count == 1 }
    lines.show()
    queue.enqueue(Notification(name: second), postingStyle: .whenIdle)
    print(lines.count)
    runLoop { lines.count == 1 }
    lines.show()
    coalescing(queue, lines)
    senders(center, queue)
    timerOfTheDefaultMode(queue, lines)
    styles()
    withExtendedLifetime(observer) {}
  }

  static func note(_ name: Notification.Name, _ number: Int) -> Notification {
    Notification(name: name, object: nil, userInfo: ["n": number])
  }

  static func coalescing(_ queue: NotificationQueue, _ lines: Lines) {
    for number in 1...3 {
      queue.enqueue(
        note(first, number), postingStyle: .asap, coalesceMask: .onName, forModes: [.default])
    }
    queue.enqueue(
      note(second, 4), postingStyle: .whenIdle, coalesceMask: [.onName, .onSender], forModes: nil)
    runLoop { lines.count == 2 }
    print("coalesced:", lines.count)
    lines.show(sorted: true)
    queue.enqueue(note(first, 5), postingStyle: .asap, coalesceMask: .none, forModes: nil)
    queue.enqueue(note(second, 6), postingStyle: .asap, coalesceMask: .none, forModes: nil)
    queue.dequeueNotifications(matching: note(first, 0), coalesceMask: .onName)
    runLoop { lines.count > 0 }
    lines.show()
    queue.enqueue(note(first, 7), postingStyle: .whenIdle)
    queue.enqueue(note(first, 8), postingStyle: .now, coalesceMask: .onName, forModes: nil)
    runLoop { lines.count == 1 }
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01))
    lines.show()
  }

  /// Two senders take turns: each new notification replaces all similar ones.
  static func senders(_ center: NotificationCenter, _ queue: NotificationQueue) {
    // SAFETY: only compared.
    nonisolated(unsafe) let senders = [NSObject(), NSObject()]
    let heard = Lines()
    let observer = center.addObserver(forName: nil, object: nil, queue: nil) { note in
      heard.add(note.object as? NSObject === senders[0] ? "a" : "b")
    }
    typealias Mask = NotificationQueue.NotificationCoalescing
    let calls: [(Int, Mask)] = [
      (0, .onName), (1, .onSender), (0, .onName), (1, .onName), (0, .onSender),
    ]
    for (sender, mask) in calls {
      queue.enqueue(
        Notification(name: first, object: senders[sender]), postingStyle: .asap,
        coalesceMask: mask, forModes: nil)
    }
    runLoop { heard.count == 2 }
    heard.show(sorted: true)
    center.removeObserver(observer)
  }

  /// A notification with the style `.now` is posted only in one of its modes.
  static func timerOfTheDefaultMode(_ queue: NotificationQueue, _ lines: Lines) {
    let done = Lines()
    // SAFETY: the timer fires on this thread.
    nonisolated(unsafe) let queue = queue
    let timer = Timer(timeInterval: 0.001, repeats: false) { _ in
      let lists: [[RunLoop.Mode]?] = [[.common], [.common, .default], nil]
      for (number, modes) in lists.enumerated() {
        queue.enqueue(
          note(second, number), postingStyle: .now, coalesceMask: .none, forModes: modes)
      }
      done.add("done")
    }
    RunLoop.current.add(timer, forMode: .default)
    runLoop { done.count == 1 }
    lines.show()
  }

  static func styles() {
    let styles: [NotificationQueue.PostingStyle] = [.whenIdle, .asap, .now]
    print(styles.map(\.rawValue), NotificationQueue.PostingStyle(rawValue: 2) == .asap)
    print(NotificationQueue.PostingStyle(rawValue: 9) == nil, styles[0] != styles[1])
    var hasher = Hasher()
    NotificationQueue.PostingStyle.now.hash(into: &hasher)
    print(NotificationQueue.PostingStyle.now.hashValue == styles[2].hashValue)
  }
}
