// WaitRelease — what a thread outside a cycle may do to end one of its waits.
//
// A cycle with such a wait is reported, and the process continues: another thread may still end the
// wait. See Internals/Deadlock.md for every kind of wait.

/// A legal call with which a third thread can end a wait even if the needed thread does not
/// continue.
@frozen @usableFromInline
package enum WaitRelease: UInt8, Sendable {
  /// No call: only the needed thread can end the wait.
  case nobody
  /// A thread that does not hold the lock may unlock it.
  case unlock
  /// Another thread may perform the work item.
  case perform
  /// Another thread may finish the operation.
  case finish
  /// Another thread may cancel the operation or remove the dependency.
  case dependency
  /// Another thread may raise the queue's `maxConcurrentOperationCount`.
  case width
}
