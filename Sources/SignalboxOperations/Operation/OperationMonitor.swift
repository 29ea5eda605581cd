// OperationMonitor — what a module above does around the work of a queue's operations:
// `SignalboxFoundation` counts their progress.
//
// Touching    `areUsed`: any thread, atomically.

import SignalboxRuntime
import Synchronization

/// What is done around each `main()` of a queue's operations, barriers left out.
package struct OperationMonitor: Sendable {
  /// Calls the work it is given, once.
  package let around: @Sendable (Operation, () -> Void) -> Void

  package init(around: @escaping @Sendable (Operation, () -> Void) -> Void) { self.around = around }

  static let used = Atomic<Bool>(false)

  static func noteUse() {
    used.store(true, ordering: .relaxed)  // order: relaxed; who hands a queue on orders this.
  }

  /// That of the operation's queue.
  @inline(__always)
  static func of(_ operation: Operation) -> OperationMonitor? {
    // order: relaxed; as above.
    used.load(ordering: .relaxed) ? find(operation) : nil
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
  /// Has `monitor` see to each operation that begins from now on.
  package final func set(_ monitor: OperationMonitor?) {
    OperationMonitor.noteUse()
    let old = lock.withLock {
      let old = self.monitor
      self.monitor = monitor
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// What a module above keeps with the queue; made where there is none yet.
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
