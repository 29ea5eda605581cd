// TypeName — the name of a type, for messages, that a forked child can get too.
//
// The Swift runtime guards the names of types with a lock of its own. Every request takes it,
// even for a known name. If another thread held that lock during a fork, the child would wait
// for it at its first report. So this library requests names under a lock of its own, which
// the forking thread takes. So none of the library's requests is under way during a fork.
//
// Ordering    EL1, by the lock.
// Invariants  I1  while the lock is held, only the Swift runtime is called. It takes its own
//                 locks and allocates, and calls no code of the program.

package enum TypeName {
  static let lock = EngineLock()

  /// The name that `String(describing:)` returns.
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
