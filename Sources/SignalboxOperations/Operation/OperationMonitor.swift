// OperationMonitor — lets a higher-level module run code around the work of a queue's operations:
// `SignalboxFoundation` counts progress that way.
//
// Touching    `areUsed`: any thread, atomically.

import SignalboxRuntime

/// Wraps each `main()` of a queue's operations, except barriers.
package struct OperationMonitor: Sendable {
  /// Calls the work that it receives, once.
  package let around: @Sendable (Operation, () -> Void) -> Void

  package init(around: @escaping @Sendable (Operation, () -> Void) -> Void) { self.around = around }

  /// Whether any queue has a monitor. Any thread sets it; a hand-off of the queue to another thread
  /// orders the store.
  static let used = Relaxed(false)

  static func noteUse() { used.store(true) }

  /// The monitor of the operation's queue.
  @inline(__always)
  static func of(_ operation: Operation) -> OperationMonitor? {
    used.load() ? find(operation) : nil
  }

  @inline(never)
  private static func find(_ operation: Operation) -> OperationMonitor? {
    if operation.isBarrier { return nil }
    return operation.lock.withLock {
      operation.queue?._withUnsafeGuaranteedRef { queue in
        queue.lock.withLock { queue.monitor }
      }
    }
  }

  func run(_ operation: Operation) { around(operation) { operation.main() } }
}

extension OperationQueue {
  /// Sets the monitor for operations that begin from now on.
  package final func set(_ monitor: OperationMonitor?) {
    OperationMonitor.noteUse()
    let old = lock.withLock {
      let old = self.monitor
      self.monitor = monitor
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// The object that a higher-level module attaches to the queue, created on first use.
  package final func attachment(orMake make: () -> AnyObject) -> AnyObject {
    if let known = lock.withLock({ kept }) { return known }
    let new = make()
    return lock.withLock {
      let known = kept ?? new
      kept = known
      return known
    }
  }
}
