// Operation+Notifying — how a subclass announces changes of its own state.

import SignalboxRuntime

extension Operation {
  /// Announces that a property is about to change. Does nothing; it exists for programs that
  /// call it.
  ///
  /// Source: Apple's documentation of `willChangeValue(forKey:)`.
  public func willChangeValue(forKey key: String) {}

  /// Announces that a property has changed: `"isReady"`, `"isExecuting"` or `"isFinished"`,
  /// with or without the `is`. Other keys have no effect.
  ///
  /// The call then reads the property. When `isFinished` is true, the operation has ended:
  /// its queue continues, and the operations that depend on it may begin. A second announcement
  /// of the end has no effect, so a cancellation and an answer may both announce it.
  ///
  /// Source: Apple's documentation of `Operation`, “Responding to the Operation's state”.
  public func didChangeValue(forKey key: String) {
    switch key {
    case "isFinished", "finished": didChangeFinished()
    case "isExecuting", "executing": didChangeExecuting()
    case "isReady", "ready": offer()
    default: break
    }
  }

  /// Announces that a property is about to change; see ``willChangeValue(forKey:)``.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {}

  /// Announces that a property has changed; see ``didChangeValue(forKey:)``.
  public func didChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    switch keyPath {
    case \Operation.isFinished: didChangeFinished()
    case \Operation.isExecuting: didChangeExecuting()
    case \Operation.isReady: offer()
    default: break
    }
  }

  private final func didChangeFinished() {
    guard isFinished else { return }
    complete()
  }

  private final func didChangeExecuting() {
    let isExecuting = self.isExecuting
    lock.lock()
    if isExecuting && phase < .executing && phase != .enqueued { phase = .executing }
    lock.unlock()
  }
}
