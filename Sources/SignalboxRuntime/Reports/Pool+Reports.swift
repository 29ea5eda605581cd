// Pool+Reports — the number of workers and of waiting runnables, and whether any runs, for a report.

extension Engine {
  /// The pools, from the highest tier to the lowest.
  package var pools: some Sequence<Pool> { sequence(first: pool, next: \.lower) }

  /// Whether no worker runs anything and no timer is pending.
  package var isQuiet: Bool {
    driver.pendingCount == 0 && pools.allSatisfy { $0.running == 0 }
  }
}

extension Pool {
  /// The workers that are not parked, blocked or polling.
  package var running: Int { busy.load() }

  /// The runnables (mostly queues to be served) in the run queue.
  package var pending: Int { pendingHint.load() }

  /// nil if unknown, because a report does not wait for a worker of low priority.
  package var workers: Int? {
    if tier == .normal { lock.lock() } else if !lock.tryLock() { return nil }
    defer { unlock() }
    return shared.pointee.total
  }
}
