// Operation+Dependencies — adds and removes edges between operations.
//
// An operation lists its dependencies and retains them. Each unfinished dependency lists the
// operation as a dependent, without retaining it.
//
// Touching    edges change under the lock of `DependencySearch`, one thread at a time, and
//             under both ends' locks. Finishing an operation empties its list of dependents
//             under its own lock alone.
// Invariants  I1  an operation is in an unfinished dependency's list ⇔ it counts that
//                 dependency as unfinished. The thread that removes it from the list decrements
//                 the count, once.
//             I2  an operation that waits for others leaves their lists before it is freed. A
//                 thread that reads such a list holds the list owner's lock, which keeps the
//                 operation alive. An operation that ever had a dependency takes the search's
//                 lock before it is freed.

import SignalboxRuntime

extension Operation {
  final func add(_ op: Operation) {
    if op === self {
      clientBug(
        "addDependency(_:) on \(title) with itself: it could never begin. An operation can depend "
          + "only on other operations.")
    }
    let search = DependencySearch.shared
    search.lock()
    guard !isListed(op) else { return search.unlock() }
    let closesCircle = mayClose(with: op) && search.circle(from: self, to: op) != nil
    if closesCircle { search.circles.note(self) }
    lockBoth(with: op)
    op.forgetOutdatedWait(for: self)
    if phase < .starting && op.phase != .finished {
      op.appendDependent(self)
      unfinished += 1
    }
    appendDependency(op)
    let isInQueue = phase == .enqueued
    lock.unlock()
    op.lock.unlock()
    search.unlock()
    if isInQueue { raiseDependencies() }
    if closesCircle { search.circles.schedule(search) }
  }

  /// Whether there is already a dependency on `op`. Searches the shorter of the two lists that
  /// would contain it.
  private final func isListed(_ op: Operation) -> Bool {
    op.lock.lock()
    let isOver = op.phase == .finished
    let others = op.dependents.count
    op.lock.unlock()
    lock.lock()
    let own = dependencyList.count
    let begun = phase >= .starting
    if own == 0 || isOver || begun || own <= others {
      defer { lock.unlock() }
      return dependencyList.contains { $0 === op }
    }
    lock.unlock()
    let listed = op.lock.withLock {
      op.phase == .finished
        ? nil : op.lists(self)
    }
    // If `op` has finished in the meantime, search the long list.
    return listed ?? lock.withLock { dependencyList.contains { $0 === op } }
  }

  /// Takes both locks.
  ///
  /// The lock order depends on which operation depends on the other, and this function does not
  /// know that. So it never waits for one lock while it holds the other.
  private final func lockBoth(with op: Operation) {
    while true {
      op.lock.lock()
      if lock.tryLock() { return }
      op.lock.unlock()
      lock.lock()
      if op.lock.tryLock() { return }
      lock.unlock()
    }
  }

  /// Removes the edge by which this operation still waits for `dependency`, if this operation was
  /// cancelled and has begun. `dependency` is about to depend on this operation, and with both
  /// edges the two locks would be taken in both orders. Requires both locks.
  private final func forgetOutdatedWait(for dependency: Operation) {
    guard phase >= .starting, unfinished > 0 else { return }
    if dependency.removeDependent(self) { unfinished -= 1 }
  }

  /// Whether a dependency on `op` could close a cycle. It cannot if no operation depends on
  /// this one, or if `op` waits for no other.
  private final func mayClose(with op: Operation) -> Bool {
    let hasDependents = lock.withLock { phase < .starting && !dependents.isEmpty }
    return hasDependents && op.lock.withLock { op.phase < .starting && op.unfinished > 0 }
  }

  final func remove(_ op: Operation) {
    if op === self { return }
    let search = DependencySearch.shared
    search.lock()
    lockBoth(with: op)
    let wasAwaited = op.removeDependent(self)
    if wasAwaited { unfinished -= 1 }
    // The caller holds a reference too, so this frees nothing.
    removeDependency(listed: op)
    let isFree = wasAwaited && unfinished == 0
    lock.unlock()
    op.lock.unlock()
    search.unlock()
    if isFree { offer() }
  }

  // MARK: The end of an operation

  /// Called by the deinitializer.
  final func releaseDependencies() {
    leaveLists()
    OperationRelease.release(takeDependencies())
  }

  /// Removes the operation from the lists of its unfinished dependencies.
  private final func leaveLists() {
    let search = DependencySearch.shared
    search.lock()
    // If it waits for none, no list contains it.
    let waits = lock.withLock { unfinished > 0 }
    for op in dependencyList where waits {
      op.lock.withLock { _ = op.removeDependent(self) }
    }
    search.unlock()
  }
}
