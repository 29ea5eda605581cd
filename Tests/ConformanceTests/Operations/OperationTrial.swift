// OperationTrial — operation subclasses like those of programs, with a body from the test.

import SignalboxOperations
import SignalboxTestSupport

/// A subclass that overrides `main()` only.
final class BodyOperation: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable.
  private let body: @Sendable (BodyOperation) -> Void

  init(_ name: String? = nil, _ body: @escaping @Sendable (BodyOperation) -> Void = { _ in }) {
    self.body = body
    super.init()
    self.name = name
  }

  override func main() { body(self) }

  /// Returns an operation that executes until the gate is opened.
  static func passing(
    _ gate: Gate, _ isInside: Gate? = nil, name: String? = nil
  ) -> BodyOperation {
    BodyOperation(name) { _ in
      isInside?.open()
      gate.pass()
    }
  }
}

/// An asynchronous subclass that keeps its own state: it executes from `start()` until
/// `finish()` is called.
final class ManualOperation: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable; its state is guarded.

  /// How it reports its changes.
  enum Spelling: CaseIterable {
    case keys, keyPaths
  }
  private struct State {
    var isExecuting = false
    var isFinished = false
  }
  private let state = Guarded(State())
  private let spelling: Spelling
  private let whenStarted: @Sendable (ManualOperation) -> Void
  let isStarted = Gate("start of an asynchronous operation")

  init(
    _ spelling: Spelling = .keyPaths,
    whenStarted: @escaping @Sendable (ManualOperation) -> Void = { _ in }
  ) {
    self.spelling = spelling
    self.whenStarted = whenStarted
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.current.isExecuting }
  override var isFinished: Bool { state.current.isFinished }

  override func start() {
    if isCancelled { return finish() }
    change(executing: true, finished: false)
    isStarted.open()
    whenStarted(self)
  }

  func finish() { change(executing: false, finished: true) }

  private func change(executing: Bool, finished: Bool) {
    let isOther = (
      executing: state.current.isExecuting != executing,
      finished: state.current.isFinished != finished
    )
    switch spelling {
    case .keys:
      if isOther.executing { willChangeValue(forKey: "isExecuting") }
      if isOther.finished { willChangeValue(forKey: "isFinished") }
    case .keyPaths:
      if isOther.executing { willChangeValue(for: \.isExecuting) }
      if isOther.finished { willChangeValue(for: \.isFinished) }
    }
    state.withValue {
      $0.isExecuting = executing
      $0.isFinished = finished
    }
    switch spelling {
    case .keys:
      if isOther.finished { didChangeValue(forKey: "isFinished") }
      if isOther.executing { didChangeValue(forKey: "isExecuting") }
    case .keyPaths:
      if isOther.finished { didChangeValue(for: \.isFinished) }
      if isOther.executing { didChangeValue(for: \.isExecuting) }
    }
  }
}

/// The asynchronous subclass that many programs copy: it announces its old and
/// its new state at each change, even if it is finished already. Here it stays
/// finished, so a start that overlaps with a cancellation does not undo the end.
final class StatefulOperation: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable; its state is guarded.

  enum State: String {
    case ready = "isReady"
    case executing = "isExecuting"
    case finished = "isFinished"
  }
  private let guarded = Guarded(State.ready)
  let isStarted = Gate("start of an operation that ends itself")

  var state: State {
    get { guarded.current }
    set {
      let old = state
      willChangeValue(forKey: newValue.rawValue)
      willChangeValue(forKey: old.rawValue)
      guarded.withValue { if $0 != .finished { $0 = newValue } }
      didChangeValue(forKey: old.rawValue)
      didChangeValue(forKey: newValue.rawValue)
    }
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state == .executing }
  override var isFinished: Bool { state == .finished }

  override func start() {
    state = isCancelled ? .finished : .executing
    isStarted.open()
  }

  override func cancel() {
    super.cancel()
    state = .finished
  }
}

extension Operation {
  /// Whether the operation is executing, finished and cancelled.
  var states: [Bool] { [isExecuting, isFinished, isCancelled] }
}

extension OperationQueue {
  /// Makes a queue with this width.
  static func width(_ width: Int, name: String? = nil) -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    if let name { queue.name = name }
    return queue
  }

  /// Makes a suspended queue.
  static func suspended(width: Int = 1) -> OperationQueue {
    let queue = OperationQueue.width(width)
    queue.isSuspended = true
    return queue
  }
}

let everyQueuePriority: [Operation.QueuePriority] = [.veryHigh, .high, .normal, .low, .veryLow]

let everyQualityOfService: [QualityOfService] = [
  .userInteractive, .userInitiated, .default, .utility, .background,
]
