// LaterOperation — an asynchronous operation that another thread finishes.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport

final class LaterOperation: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable; its state is guarded.

  private struct State {
    var isExecuting = false
    var isFinished = false
  }
  private let run: @Sendable () -> Void
  private let state = Guarded(State())

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.current.isExecuting }
  override var isFinished: Bool { state.current.isFinished }

  override func start() {
    if isCancelled { return finish(wasExecuting: false) }
    willChangeValue(for: \.isExecuting)
    state.withValue { $0.isExecuting = true }
    didChangeValue(for: \.isExecuting)
    DispatchQueue.global().async {
      self.run()
      self.finish(wasExecuting: true)
    }
  }

  private func finish(wasExecuting: Bool) {
    if wasExecuting { willChangeValue(for: \.isExecuting) }
    willChangeValue(for: \.isFinished)
    state.withValue { $0 = State(isExecuting: false, isFinished: true) }
    if wasExecuting { didChangeValue(for: \.isExecuting) }
    didChangeValue(for: \.isFinished)
  }
}
