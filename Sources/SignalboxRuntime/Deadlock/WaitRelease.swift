// WaitRelease — what a thread outside a cycle may do to end one of its waits.
//
// A cycle with such a wait is reported, and the process goes on: the call that ends it may
// still come. See Internals/Deadlock.md for every kind of wait.

/// A legal call of a third thread that ends a wait, though the thread that is needed does not
/// go on.
@frozen @usableFromInline
package enum WaitRelease: UInt8, Sendable {
  /// Nobody: only the thread that is needed can end the wait.
  case nobody
  /// The lock may be unlocked by a thread that does not hold it.
  case unlock
  /// The work item may be performed by another thread.
  case perform
  /// The operation may be finished by another thread.
  case finish
  /// The operation may be cancelled, or the dependency removed.
  case dependency
  /// The queue's `maxConcurrentOperationCount` may be raised.
  case width

  /// What another thread does, after "another thread"; `resource` is what is waited for.
  func words(_ resource: String) -> String {
    switch self {
    case .nobody: ""
    case .unlock: "unlocks \(resource) for its holder"
    case .perform: "performs the work item"
    case .finish: "finishes the operation"
    case .dependency: "cancels the operation or removes the dependency"
    case .width: "raises maxConcurrentOperationCount of the operation queue"
    }
  }
}
