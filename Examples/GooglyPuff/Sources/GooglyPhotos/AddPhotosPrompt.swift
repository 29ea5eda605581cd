// AddPhotosPrompt — what to do, said to whoever has not added a photo.
//
// Decided when a second is over, not before: an eye that has just come to the
// screen would miss it. Main queue only.

package import SignalboxDispatch

// SAFETY: `isShown` is touched on `queue` only, which the methods check.
package final class AddPhotosPrompt: @unchecked Sendable {
  package static let text = "Add photos with faces to Googlyify them!"

  private let manager: PhotoManager
  private let queue: DispatchQueue
  private let delay: DispatchTimeInterval
  private let show: (String?) -> Void

  package private(set) var isShown = false

  /// `show` is called on the main queue with the prompt, or with nil to remove it.
  package init(
    manager: PhotoManager, queue: DispatchQueue = .main, delay: DispatchTimeInterval = .seconds(1),
    show: @escaping (String?) -> Void
  ) {
    self.manager = manager
    self.queue = queue
    self.delay = delay
    self.show = show
  }

  /// Called at the beginning and whenever photos were added.
  package func showOrHide() {
    dispatchPrecondition(condition: .onQueue(queue))
    // There is no reason to leave it standing for another second.
    if isShown { decide() }
    queue.asyncAfter(deadline: .now() + delay) { self.decide() }
  }

  private func decide() {
    dispatchPrecondition(condition: .onQueue(queue))
    let isNeeded = manager.photos.isEmpty
    guard isNeeded != isShown else { return }
    isShown = isNeeded
    show(isNeeded ? Self.text : nil)
  }
}
