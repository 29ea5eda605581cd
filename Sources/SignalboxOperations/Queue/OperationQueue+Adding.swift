// OperationQueue+Adding — how an operation enters and leaves the queue's list.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  final func admit(_ operation: Operation) {
    if Fork.hasHappened { checkFork() }
    let band = OperationClasses.ofThisThread
    let isPlain = OperationKind.isPlain(operation)
    operation.lock.lock()
    guard operation.phase == .new else {
      operation.lock.unlock()
      refuse(operation)
    }
    operation.phase = .enqueued
    // Recorded under the lock, so that it precedes the operation's start.
    operation.tellStep(.enqueued)
    // SAFETY: see I2 of `Operation`.
    operation.queue = Unmanaged.passUnretained(self)
    let reference = Unmanaged.passRetained(operation)  // SAFETY: released when it leaves.
    let dependsOnOthers = operation.hasDependencies
    operation.findRaisedBand()
    lock.lock()
    operation.homeBand = underlying == nil ? ownBand ?? band : .standard
    operation.band = operation.wantedBand
    append(operation, reference)
    if isPlain && (operation.unfinished == 0 || operation.isMarkedCancelled) {
      operation.isOffered = true
      operation.tellStep(.ready)
      plan.pointee.enqueue(operation)
    }
    let next = workersToSend()
    lock.unlock()
    operation.lock.unlock()
    next.submit()
    if dependsOnOthers { operation.raiseDependencies() }
    if dependsOnOthers && DependencySearch.shared.circles.haveBeen {
      DependencySearch.shared.circles.schedule(DependencySearch.shared)
    }
    if !isPlain { operation.offer() }
  }

  /// Appends an operation to the list of all operations. Requires the lock.
  private final func append(_ operation: Operation, _ reference: Unmanaged<Operation>) {
    plan.pointee.generations.admit(operation, isBarrier: operation.isBarrier, others: count)
    // SAFETY: released by `leave` when the queue is empty.
    if all.isEmpty { keeper = Unmanaged.passRetained(self) }
    all.append(reference)
    if operation.isBarrier { barrierCount += 1 }
  }

  /// Removes an operation from the list. Requires the lock.
  final func remove(_ operation: Operation) {
    all.remove(Unmanaged.passUnretained(operation))  // SAFETY: retained while it is in the list.
    if operation.isBarrier { barrierCount -= 1 }
  }

  private final func refuse(_ operation: Operation) -> Never {
    let (phase, other) = operation.lock.withLock {
      // SAFETY: a queue keeps itself alive while it has operations.
      (operation.phase, operation.queue.map { $0.takeUnretainedValue() })
    }
    let state =
      other.map { "is in \($0 === self ? "it" : $0.title) already" }
      ?? (phase == .finished ? "is finished" : "has been started")
    clientBug(
      "\(operation.title) was added to \(title), but it \(state): an operation is added to one "
        + "queue, once. Make another operation to do the work again.")
  }

  final func list(withBarriers: Bool) -> [Operation] {
    lock.snapshot(of: all) {
      let operation = $0.takeUnretainedValue()  // SAFETY: retained while it is in the list.
      return withBarriers || !operation.isBarrier ? operation : nil
    }
  }
}

/// The operations of a queue, in the order in which they were added.
enum QueuedOperations: ListLinkage {
  static func links(of operation: Unmanaged<Operation>) -> ListLinks<Unmanaged<Operation>>.Pointer {
    operation._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}
