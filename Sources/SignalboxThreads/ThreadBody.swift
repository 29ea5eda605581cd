// ThreadBody — the closure that a thread runs, and its outcome.
//
// The closure is called through C, so that no frame of this library holds a reference to it while
// it runs: a thread may end inside it, and references in the thread's frames are then never
// released.
//
// Touching    everything: the creating thread, then the thread, then the thread that has seen its
//             end.
// Invariants  I1  `outcome` says whether `result` or `thrown` is initialized.

import CSignalbox

/// A closure and its outcome, independent of their types.
class ThreadTask {
  /// Runs the closure, on the thread.
  func run() {}

  /// Frees the closure and its captures, on the thread at its end.
  func dropClosure() {}

  /// Stores `value` as the result, if it has the right type.
  func keep<Value>(_ value: Value) -> Bool { false }

  /// Whether the thread may end without a result.
  var mayEndEarly: Bool { true }

  /// The type of the result, for messages.
  var resultName: String { "Void" }

  /// Takes the error that the closure threw, if no thread has taken it yet.
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
    // SAFETY: the closure has the generic type that the call expects; it initializes `thrown` if
    // `hasThrown` is set, else `result`.
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

  /// Takes what the closure returned or threw, for the joining thread; nil if there is nothing to
  /// take.
  func takeOutcome() -> Result<Success, Failure>? {
    defer { outcome = .none }
    switch outcome {
    // A thread may end itself without a result if the result's type is `Void`.
    case .none: return (() as? Success).map { .success($0) }
    case .returned: return .success(result.move())
    case .threw: return .failure(thrown.move())
    }
  }
}
