// OperationsInFlight — operations whose `start()` has returned and that are not finished. No
// thread runs them, so a report would not show them.
//
// Touching    the list: under `lock`, which is taken last of all.
// Invariants  I1  an operation is in the list ⇔ its `isInFlight` is set; while it is, the queue
//                 keeps the operation.

import SignalboxRuntime

// SAFETY: see Touching.
final class OperationsInFlight: @unchecked Sendable {
  static var shared: OperationsInFlight { OperationRegistry.shared.inFlight }

  private let lock = EngineLock()
  private var operations: [ObjectIdentifier: Operation] = [:]
  /// In a forked child, the parent's operations.
  private var lost: [ObjectIdentifier: Operation] = [:]

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Forgets the operations in a forked child, because the code that will end them exists only in
  /// the parent. They are kept but not used: another thread may have held the lock of any of them.
  func forgetAll() {
    lost = operations
    operations = [:]
  }

  /// Requires the operation's lock.
  func add(_ operation: Operation) {
    lock.withLock { operations[ObjectIdentifier(operation)] = operation }
  }

  /// Requires the operation's lock. The caller holds a reference.
  func remove(_ operation: Operation) {
    lock.withLock { _ = operations.removeValue(forKey: ObjectIdentifier(operation)) }
  }

  var lines: [String] {
    lock.withLock { Array(operations.values) }.map {
      "\($0.title) has begun and is not finished, and no thread is in its start()"
    }.sorted()
  }
}

extension Operation {
  /// Records that `start()` has returned and something else will finish the operation later.
  final func flyOn() {
    lock.lock()
    if phase != .finished && !isInFlight {
      isInFlight = true
      OperationsInFlight.shared.add(self)
    }
    lock.unlock()
  }
}
