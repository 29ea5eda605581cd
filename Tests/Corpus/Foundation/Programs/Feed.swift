// Feed — a program: a model that posts its changes, a view model that observes them on the main
// queue, progress with parts, and coalesced requests to save.

import Foundation

extension Notification.Name {
  static let feedDidChange = Notification.Name("FeedDidChange")
  static let feedNeedsSaving = Notification.Name("FeedNeedsSaving")
}

final class FeedModel: NSObject, ProgressReporting, @unchecked Sendable {
  // SAFETY: `lock` guards `entries` and the parts of `progress`.
  let progress = Progress(totalUnitCount: 10)
  private let lock = NSLock()
  private var entries: [String] = []

  var count: Int { lock.withLock { entries.count } }

  func load(on queue: OperationQueue) {
    for page in 0..<2 {
      progress.becomeCurrent(withPendingUnitCount: 5)
      let part = Progress(totalUnitCount: 3)
      progress.resignCurrent()
      queue.addOperation { [self] in
        for row in 0..<3 {
          lock.withLock {
            entries.append("page \(page), row \(row)")
            // If two parts end at once, Foundation may count them three times in the whole.
            part.completedUnitCount += 1
          }
        }
        NotificationCenter.default.post(
          name: .feedDidChange, object: self, userInfo: ["page": page])
      }
    }
  }
}

@MainActor final class FeedViewModel {
  private var tokens: [any NSObjectProtocol] = []
  private(set) var pages: [Int] = []
  private(set) var saves = 0

  func observe(_ model: FeedModel) {
    let center = NotificationCenter.default
    tokens.append(
      center.addObserver(forName: .feedDidChange, object: model, queue: .main) { [weak self] note in
        let page = note.userInfo?["page"] as? Int ?? -1
        MainActor.assumeIsolated { self?.changed(page) }
      })
    tokens.append(
      center.addObserver(forName: .feedNeedsSaving, object: nil, queue: nil) { [weak self] _ in
        MainActor.assumeIsolated { self?.saves += 1 }
      })
  }

  private func changed(_ page: Int) {
    pages.append(page)
    NotificationQueue.default.enqueue(
      Notification(name: .feedNeedsSaving), postingStyle: .whenIdle,
      coalesceMask: [.onName, .onSender], forModes: nil)
  }

  func stop() {
    tokens.forEach { NotificationCenter.default.removeObserver($0) }
    tokens = []
  }
}

enum Feed {
  static func run() {
    MainActor.assumeIsolated {
      let model = FeedModel()
      let view = FeedViewModel()
      view.observe(model)
      let queue = OperationQueue()
      model.load(on: queue)
      runLoop { view.pages.count == 2 && view.saves > 0 }
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
      print(view.pages.sorted(), view.saves > 0, model.count)
      print(model.progress.fractionCompleted, model.progress.isFinished)
      view.stop()
      NotificationCenter.default.post(name: .feedDidChange, object: model)
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.005))
      print(view.pages.count)
    }
  }
}
