// ThreadBody — the closure that a thread runs, and what came of it.
//
// Called through C, so that no frame of ours holds a reference to the closure while it
// runs: a thread may end inside it, and what a frame holds then is never released.
//
// Touching    everything: who makes it, then the thread, then who has seen its end.
// Invariants  I1  memory is initialized as `outcome` says.

import CSignalbox

/// A closure and its outcome, whatever their types.
class ThreadTask {
  /// On the thread.
  func run() {}

  /// On the thread, at its end: frees the closure and what it captured.
  func dropClosure() {}

  /// Keeps `value` as the result, if it is of the right type.
  func keep<Value>(_ value: Value) -> Bool { false }

  /// Whether the thread may end without a result.
  var mayEndEarly: Bool { true }

  /// The type of the result, for messages.
  var resultName: String { "Void" }

  /// The error that left the closure and that nobody was given, and which the caller
  /// is given now.
  func takeError() -> (any Error)? { nil }
}

final class ThreadBody<Success, Failure: Error>: ThreadTask {
  typealias Closure = @Sendable () throws(Failure) -> Success

  private enum Outcome { case none, returned, threw }

  private var closure: UnsafeMutablePointer<Closure>?
  private let result = UnsafeMutablePointer<Success>.allocate(capacity: 1)
  private let thrown = UnsafeMutablePointer<Failure>.allocate(capacity: 1)
  private var outcome = Outcome.none

  init(_ body: @escaping Closure) {
    let memory = UnsafeMutablePointer<Closure>.allocate(capacity: 1)
    memory.initialize(to: body)
    closure = memory
  }

  deinit {
    dropClosure()
    switch outcome {
    case .none: break
    case .returned: result.deinitialize(count: 1)
    case .threw: thrown.deinitialize(count: 1)
    }
    result.deallocate()
    thrown.deallocate()
  }

  override func run() {
    guard let closure else { return }
    var hasThrown: UnsafeMutableRawPointer?
    // SAFETY: the closure's type is generic here, as the call wants it; it initializes
    // what it says it does.
    csb_closure_call(closure, result, thrown, &hasThrown)
    outcome = hasThrown == nil ? .returned : .threw
  }

  override func dropClosure() {
    guard let closure else { return }
    self.closure = nil
    closure.deinitialize(count: 1)
    closure.deallocate()
  }

  override func keep<Value>(_ value: Value) -> Bool {
    guard let value = value as? Success else { return false }
    result.initialize(to: value)
    outcome = .returned
    return true
  }

  override var mayEndEarly: Bool { Success.self == Void.self }
  override var resultName: String { String(describing: Success.self) }

  override func takeError() -> (any Error)? {
    guard case .threw = outcome else { return nil }
    outcome = .none
    return thrown.move()
  }

  /// What the closure returned or threw, for the one who joined; nil where there is
  /// nothing to give.
  func takeOutcome() -> Result<Success, Failure>? {
    defer { outcome = .none }
    switch outcome {
    // A thread may end itself without a result where that is `Void`.
    case .none: return (() as? Success).map { .success($0) }
    case .returned: return .success(result.move())
    case .threw: return .failure(thrown.move())
    }
  }
}
