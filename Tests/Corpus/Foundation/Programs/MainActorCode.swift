// MainActorCode — code of the main actor, from timers, queues and notifications.

import Foundation

@MainActor final class Screen {
  private(set) var words: [String] = []
  private var timer: Timer?

  func begin() {
    DispatchQueue.main.async { self.words.append("queue") }
    timer = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: true) { [weak self] timer in
      MainActor.assumeIsolated { self?.tick() }
    }
    OperationQueue.main.addOperation {
      MainActor.assumeIsolated { self.words.append("operation") }
    }
    RunLoop.main.perform {
      MainActor.assumeIsolated { self.words.append("perform") }
    }
  }

  private func tick() {
    timer?.invalidate()
    timer = nil
    words.append("timer")
  }

  var isDone: Bool { words.count == 4 }
}

enum MainActorCode {
  static func run() {
    MainActor.assumeIsolated {
      let screen = Screen()
      screen.begin()
      runLoop { screen.isDone }
      print(screen.words.sorted())
    }
    asynchronous()
  }

  static func asynchronous() {
    let lines = Lines()
    let lock = NSLock()
    Task.detached {
      lines.add(lock.withLock { "within an asynchronous function" })
      await Task.yield()
      lines.add("main thread: \(Thread.isMainThread)")
      let value = await withCheckedContinuation { continuation in
        OperationQueue().addOperation { continuation.resume(returning: 3) }
      }
      lines.add("resumed with \(value)")
    }
    sleep { lines.count == 3 }
    lines.show()
  }
}
