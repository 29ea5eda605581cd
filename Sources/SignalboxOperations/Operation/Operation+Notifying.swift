// Operation+Notifying — how a subclass tells of changes that are its own.

import SignalboxRuntime

extension Operation {
  /// Says that a property is about to change. Does nothing: it is here for programs that
  /// say so elsewhere.
  ///
  /// Source: Apple's documentation of `willChangeValue(forKey:)`.
  public func willChangeValue(forKey key: String) {}

  /// Says that a property has changed: `"isReady"`, `"isExecuting"`, `"isFinished"`, with or
  /// without the `is`. Others have no effect.
  ///
  /// The property is then asked. After `isFinished` has become true the operation is over: its
  /// queue goes on, and those that depend on it may begin. To say that twice traps: somebody
  /// else may have taken the operation for done twice.
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

  /// As ``willChangeValue(forKey:)``.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {}

  /// As ``didChangeValue(forKey:)``.
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
    // Its queue may have seen it before it was told: that counts for nothing.
    let isSecond = lock.withLock {
      defer { hasTold = true }
      return hasTold
    }
    if isSecond {
      clientBug(
        "\(title) said a second time that it is finished, by didChangeValue for isFinished: an "
          + "operation finishes once. Where several paths lead to its end, such as a cancellation "
          + "and an answer, let only the first one say so.")
    }
    complete()
  }

  private final func didChangeExecuting() {
    let isExecuting = self.isExecuting
    lock.lock()
    if isExecuting && phase < .executing && phase != .enqueued { phase = .executing }
    lock.unlock()
  }
}
