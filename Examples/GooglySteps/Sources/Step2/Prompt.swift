// Prompt — what is said a second after the list was loaded, if it is empty still.

import SignalboxDispatch

// block: BuildingGooglyPuff/prompt
/// The prompt above the list. For the main thread.
// SAFETY: `decision` is confined to the main queue.
final class Prompt: @unchecked Sendable {
  private var decision: DispatchWorkItem?

  /// To be called whenever the list is loaded; decides a second later what to show.
  func reload(show: @escaping @Sendable (String?) -> Void) {
    dispatchPrecondition(condition: .onQueue(.main))
    decision?.cancel()
    let decision = DispatchWorkItem {
      let isEmpty = PhotoManager.shared.photos.isEmpty  // now, not a second ago
      show(isEmpty ? "Add photos with faces to Googlyify them!" : nil)
    }
    self.decision = decision
    DispatchQueue.main.asyncAfter(deadline: .now() + 1, execute: decision)
  }
}
// end
