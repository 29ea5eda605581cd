import GooglyPhotos
import SignalboxDispatch
import Synchronization
import Testing

@Suite struct AddPhotosPromptTests {
  private let queue = DispatchQueue(label: "test.main")
  private let delay = DispatchTimeInterval.milliseconds(100)

  /// What the prompt showed, in order.
  private final class Screen: Sendable {
    let shown = Mutex<[String?]>([])
    let changed = DispatchSemaphore(value: 0)

    func show(_ text: String?) {
      shown.withLock { $0.append(text) }
      changed.signal()
    }
  }

  /// Returns when every decision asked for until now has been taken: timers of one
  /// queue fire in the order of their deadlines.
  private func decisionsAreTaken() -> Bool {
    let passed = DispatchSemaphore(value: 0)
    queue.asyncAfter(deadline: .now() + delay + delay) { passed.signal() }
    return arrives(passed)
  }

  @Test func promptIsShownWhereThereAreNoPhotos() {
    let screen = Screen()
    let manager = PhotoManager(noticeQueue: queue)
    queue.sync {
      let prompt = AddPhotosPrompt(
        manager: manager, queue: queue, delay: delay, show: screen.show)
      prompt.showOrHide()
      #expect(screen.shown.withLock { $0 } == [])
    }
    #expect(arrives(screen.changed))
    #expect(screen.shown.withLock { $0 } == ["Add photos with faces to Googlyify them!"])
  }

  @Test func promptIsDecidedWhenTheSecondIsOverNotWhenItBegins() {
    let screen = Screen()
    let manager = PhotoManager(noticeQueue: queue)
    queue.sync {
      let prompt = AddPhotosPrompt(
        manager: manager, queue: queue, delay: delay, show: screen.show)
      prompt.showOrHide()
      manager.addPhoto(FilePhoto(path: FilePath("a.png")))
    }
    #expect(decisionsAreTaken())
    #expect(screen.shown.withLock { $0 } == [])
  }

  @Test func promptIsRemovedAtTheReloadThatFindsPhotos() {
    let screen = Screen()
    let manager = PhotoManager(noticeQueue: queue)
    let prompt = AddPhotosPrompt(manager: manager, queue: queue, delay: delay, show: screen.show)
    queue.sync { prompt.showOrHide() }
    #expect(arrives(screen.changed))
    manager.observeAddedContent { prompt.showOrHide() }
    manager.addPhoto(FilePhoto(path: FilePath("a.png")))
    #expect(arrives(screen.changed))
    #expect(decisionsAreTaken())
    #expect(screen.shown.withLock { $0 } == [AddPhotosPrompt.text, nil])
  }

  @Test func everyReloadDecidesAgainButSaysNothingTwice() {
    let screen = Screen()
    let manager = PhotoManager(noticeQueue: queue)
    let prompt = AddPhotosPrompt(manager: manager, queue: queue, delay: delay, show: screen.show)
    queue.sync { for _ in 0..<5 { prompt.showOrHide() } }
    #expect(arrives(screen.changed))
    #expect(decisionsAreTaken())
    #expect(screen.shown.withLock { $0 } == [AddPhotosPrompt.text])
  }
}
