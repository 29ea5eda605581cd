// Pool+Reports — how many workers there are and what waits for them, for a report.

/// A pool as it stood when it was looked at.
package struct PoolGlance: Sendable {
  package let tier: Tier
  /// How many workers run at once, at most.
  package let width: Int
  /// nil where it could not be asked: nobody waits for a worker of low priority.
  package let workers: Int?
  /// Those neither parked nor blocked nor polling.
  package let running: Int
  /// Runnables (queues that wait to be served, mostly) in the lines.
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
  /// The pools of the engine in use, from the highest tier to the lowest; none if nothing was
  /// ever submitted.
  package static var poolGlances: [PoolGlance] {
    var glances: [PoolGlance] = []
    var next: Pool? = existing?.pool
    while let pool = next {
      glances.append(pool.glance)
      next = pool.lower
    }
    return glances
  }

  /// The driver of the engine in use, if anything was ever submitted.
  package static var existingDriver: Driver? { existing?.driver }
}

extension Pool {
  fileprivate var glance: PoolGlance {
    var workers: Int?
    if tier == .normal { lock.lock() }
    if tier == .normal || lock.tryLock() {
      workers = shared.pointee.total
      unlock()
    }
    let running = busy.load(ordering: .relaxed)  // order: relaxed; a hint, for reports.
    // order: relaxed; a hint, for reports.
    let pending = pendingHint.load(ordering: .relaxed)
    return PoolGlance(
      tier: tier, width: width, workers: workers, running: running, pending: pending)
  }
}
