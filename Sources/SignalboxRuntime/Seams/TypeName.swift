// TypeName — what a type is called, for messages, asked for so that a forked child may ask too.
//
// The Swift runtime keeps the names of types behind a lock of its own, which each asking takes,
// also for a name that it knows. A child that was forked while another thread had that lock
// would wait for it at its first report. So this library asks under a lock that a thread which
// forks takes: none of its own threads is then in the midst of it.
//
// Ordering    EL1, by the lock.
// Invariants  I1  with the lock held nothing is called but the runtime, which takes its own
//                 locks and allocates, and calls nothing of the program's.

package enum TypeName {
  static let lock = EngineLock()

  /// The name as `String(describing:)` has it.
  ///
  /// Any thread, under any lock but the recorder's.
  package static func of(_ type: Any.Type) -> String {
    lock.withLock { String(describing: type) }
  }

  /// The name of an object's type.
  package static func of(object: AnyObject) -> String { of(type(of: object)) }

  static func lockForFork() { lock.lock() }
  static func unlockAfterFork() { lock.unlock() }
}
