// Operation+Dependencies — edges between operations, added and taken away.
//
// An operation lists those that it depends on, and keeps them. The other way round it is
// listed among the dependents of each that is not finished, and not kept.
//
// Touching    edges are added and removed under the lock of `DependencySearch`, by one thread
//             at a time, and under both ends' locks. Finishing an operation empties its list of
//             dependents under its own lock alone.
// Invariants  I1  a dependent stands in the list of an unfinished operation ⇔ it counts it as
//                 unfinished: who takes it out of the list counts down, once.
//             I2  an operation that waits for others is freed after it has left their lists:
//                 the other one's lock, under which its list is read, keeps it. One that ever
//                 depended on any is freed after it has had the search's lock.

import SignalboxRuntime

extension Operation {
  final func add(_ op: Operation) {
    if op === self {
      clientBug(
        "addDependency(_:) on \(title) with itself: it could never begin. An operation depends on "
          + "others only.")
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
    dependencyList.append(op)
    let isInQueue = phase == .enqueued
    lock.unlock()
    op.lock.unlock()
    search.unlock()
    if isInQueue { raiseDependencies() }
    if closesCircle { search.circles.schedule(search) }
  }

  /// Whether there is a dependency on `op`. The shorter of the two lists that would say so is
  /// looked through.
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
    // Where it has been finished since, the long list says it.
    return listed ?? lock.withLock { dependencyList.contains { $0 === op } }
  }

  /// Takes the locks of both.
  ///
  /// Nobody knows which of them may wait for the other one, whose lock would be taken after
  /// its own: so nothing is waited for with a lock held.
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

  /// Under both locks, for one that is about to be depended on by `dependency`: if it was
  /// cancelled and has begun, it waits for that no more, though it is listed. Each would be
  /// locked after the other one, else.
  private final func forgetOutdatedWait(for dependency: Operation) {
    guard phase >= .starting, unfinished > 0 else { return }
    if dependency.removeDependent(self) { unfinished -= 1 }
  }

  /// Whether a dependency on `op` could close a circle: not if nobody depends on this one, or
  /// `op` waits for nobody.
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
    if let place = dependencyList.firstIndex(where: { $0 === op }) {
      // The caller has a reference, too: nothing is freed here.
      dependencyList.remove(at: place)
    }
    let isFree = wasAwaited && unfinished == 0
    lock.unlock()
    op.lock.unlock()
    search.unlock()
    if isFree { offer() }
  }

  // MARK: The end of an operation

  /// Nobody has a reference any more.
  final func releaseDependencies() {
    leaveLists()
    let released = dependencyList
    dependencyList = []
    OperationRelease.release(released)
  }

  /// Takes it out of the lists of those that it waits for.
  private final func leaveLists() {
    let search = DependencySearch.shared
    search.lock()
    // Where it waits for nobody, nobody who is finished looks at it any more.
    let waits = lock.withLock { unfinished > 0 }
    for op in dependencyList where waits {
      op.lock.withLock { _ = op.removeDependent(self) }
    }
    search.unlock()
  }
}
