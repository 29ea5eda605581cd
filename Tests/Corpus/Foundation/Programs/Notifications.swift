// Notifications — observers with a queue, without one, and on the main queue.

import Foundation

extension Notification.Name {
  static let corpus = Notification.Name("corpus.notification")
}

enum Notifications {
  static func run() {
    let center = NotificationCenter()
    let lines = Lines()
    let plain = center.addObserver(forName: .corpus, object: nil, queue: nil) { note in
      lines.add("at once: \(note.name.rawValue), \(note.userInfo?["key"] as? Int ?? 0)")
    }
    center.post(name: .corpus, object: nil, userInfo: ["key": 7])
    lines.show()
    center.removeObserver(plain)
    center.post(name: .corpus, object: nil)
    print(lines.count)

    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let queued = center.addObserver(forName: .corpus, object: nil, queue: queue) { _ in
      lines.add("on the queue: \(OperationQueue.current === queue), \(Thread.isMainThread)")
    }
    center.post(name: .corpus, object: nil)
    queue.waitUntilAllOperationsAreFinished()
    lines.show()
    center.removeObserver(queued)

    let onMain = center.addObserver(forName: nil, object: nil, queue: .main) { note in
      lines.add("on the main queue: \(Thread.isMainThread)")
    }
    Thread.detachNewThread { center.post(Notification(name: .corpus)) }
    runLoop { lines.count == 1 }
    lines.show()
    center.removeObserver(onMain)

    let optional: OperationQueue? = queue
    let last = NotificationCenter.default.addObserver(
      forName: .corpus, object: queue, queue: optional
    ) { note in
      lines.add("of one sender: \((note.object as? OperationQueue) === queue)")
    }
    NotificationCenter.default.post(name: .corpus, object: "another")
    NotificationCenter.default.post(name: .corpus, object: queue)
    queue.waitUntilAllOperationsAreFinished()
    lines.show()
    NotificationCenter.default.removeObserver(last)
  }
}
