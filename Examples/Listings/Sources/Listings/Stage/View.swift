// View — what stands in for a view of a user interface.

import SignalboxDispatch

/// A view may be touched on the main queue only, and traps elsewhere.
final class View: Sendable {
  private let shown = Cell<Picture?>(nil)
  private let displayed = Cell<String?>(nil)
  /// Everything that happened to the view, in order.
  let history = Transcript()

  /// The picture on view.
  var picture: Picture? {
    dispatchPrecondition(condition: .onQueue(.main))
    return shown.value
  }

  /// The line above it; nil if there is none.
  var prompt: String? {
    get {
      dispatchPrecondition(condition: .onQueue(.main))
      return displayed.value
    }
    set {
      dispatchPrecondition(condition: .onQueue(.main))
      displayed.value = newValue
      history.append(newValue.map { "prompt: \($0)" } ?? "no prompt")
    }
  }

  func show(_ picture: Picture) {
    dispatchPrecondition(condition: .onQueue(.main))
    shown.value = picture
    history.append(picture.googlyFaces > 0 ? "eyes shown" : "picture shown")
  }

  /// The user touches the view.
  func touch() {
    dispatchPrecondition(condition: .onQueue(.main))
    history.append("touch answered")
  }
}
