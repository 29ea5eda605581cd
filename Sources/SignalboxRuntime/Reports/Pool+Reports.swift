// Pool+Reports — the number of workers and of waiting runnables, for a report.

/// A pool at the moment of a look.
package struct PoolSnapshot: Sendable {
  package let tier: Tier
  /// How many workers run at once at most.
  package let width: Int
  /// nil if unknown, because a report does not wait for a worker of low priority.
  package let workers: Int?
  /// The workers that are not parked, blocked or polling.
  package let running: Int
  /// The runnables (mostly queues to be served) in the run queue.
  package let pending: Int

  package init(tier: Tier, width: Int, workers: Int?, running: Int, pending: Int) {
    self.tier = tier
    self.width = width
    self.workers = workers
    self.running = running
    self.pending = pending
  }
}

extension Engine {
  /// The pools of the current engine, from the highest tier to the lowest; empty if
  /// nothing was ever submitted.
  package static var poolSnapshots: [PoolSnapshot] {
    var snapshots: [PoolSnapshot] = []
    var next: Pool? = existing?.pool
    while let pool = next {
      snapshots.append(pool.snapshot)
      next = pool.lower
    }
    return snapshots
  }

  /// The driver of the current engine, if anything was ever submitted.
  package static var existingDriver: Driver? { existing?.driver }
}

extension Pool {
  fileprivate var snapshot: PoolSnapshot {
    var workers: Int?
    if tier == .normal { lock.lock() }
    if tier == .normal || lock.tryLock() {
      workers = shared.pointee.total
      unlock()
    }
    let running = busy.load(ordering: .relaxed)  // order: relaxed; a report may be out of date.
    // order: relaxed; a report may be out of date.
    let pending = pendingHint.load(ordering: .relaxed)
    return PoolSnapshot(
      tier: tier, width: width, workers: workers, running: running, pending: pending)
  }
}
