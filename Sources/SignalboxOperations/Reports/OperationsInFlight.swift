// OperationsInFlight — operations whose `start()` has returned and that are not finished:
// no thread stands for them, so a report would not show them.
//
// Touching    the list: under `lock`, which is taken last of all.
// Invariants  I1  an operation is in the list ⇔ its `isInFlight` is set: as long as it is,
//                 its queue keeps it.

import SignalboxRuntime

// SAFETY: see Touching.
final class OperationsInFlight: @unchecked Sendable {
  static var shared: OperationsInFlight { OperationRegistry.shared.inFlight }

  private let lock = EngineLock()
  private var operations: [ObjectIdentifier: Operation] = [:]
  /// In a forked child: those of the parent.
  private var lost: [ObjectIdentifier: Operation] = [:]

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: what ends them goes on in the parent. They are kept, and not looked
  /// at, since another thread may have had the lock of any of them.
  func forgetAll() {
    lost = operations
    operations = [:]
  }

  /// Under the operation's lock.
  func add(_ operation: Operation) {
    lock.withLock { operations[ObjectIdentifier(operation)] = operation }
  }

  /// Under the operation's lock; whoever calls it has a reference.
  func remove(_ operation: Operation) {
    lock.withLock { _ = operations.removeValue(forKey: ObjectIdentifier(operation)) }
  }

  /// A line for each.
  var lines: [String] {
    lock.withLock { Array(operations.values) }.map {
      "\($0.title) has begun and is not finished, and no thread is in its start()"
    }.sorted()
  }
}

extension Operation {
  /// Its `start()` has returned: it is finished later, by something else.
  final func flyOn() {
    lock.lock()
    if phase != .finished && !isInFlight {
      isInFlight = true
      OperationsInFlight.shared.add(self)
    }
    lock.unlock()
  }
}
