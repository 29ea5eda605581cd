// Pool+Reports — how many workers exist, how many run, and how many runnables wait, for a report.

package import CSignalbox

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

  /// The number of runnables (mostly drain tasks) in the run queue.
  package var pending: Int { pendingHint.load() }

  /// The number of workers; nil if unknown, because a report does not wait for a lock that a worker
  /// of low priority may hold.
  package var workers: Int? {
    if tier == .normal { lock.lock() } else if !lock.tryLock() { return nil }
    defer { unlock() }
    return shared.pointee.total
  }

  /// What the pool counts, and the number of its workers, at one moment; nil if unknown, as above.
  package var counts: (counts: csb_outside_pool_counts, workers: Int, running: Int)? {
    if tier == .normal { lock.lock() } else if !lock.tryLock() { return nil }
    defer { unlock() }
    return (shared.pointee.counts, shared.pointee.total, shared.pointee.running)
  }
}

// MARK: For readers in other processes

extension Engine {
  /// Publishes the pools of this engine, which is in use and so is never freed.
  func showPools() {
    var next: UnsafeMutablePointer<csb_outside_pool>?
    let timers = driver.latenessInPlace
    let watches = driver.descriptors.watches.address
    for pool in pools.reversed() {
      let seen = UnsafeMutablePointer<csb_outside_pool>.allocate(capacity: 1)
      seen.initialize(to: pool.seen(before: next, timers, watches))
      next = seen
    }
    csb_outside_pools_show(next)
  }
}

extension Pool {
  fileprivate func seen(
    before next: UnsafeMutablePointer<csb_outside_pool>?,
    _ timers: UnsafePointer<csb_outside_timers>, _ watches: UnsafeRawPointer
  ) -> csb_outside_pool {
    lock.lock()
    defer { unlock() }
    return csb_outside_pool(
      next: next, tier: UInt64(tier.rawValue), ceiling: UInt64(ceiling), width: machine.address,
      workers: withUnsafeMutablePointer(to: &shared.pointee.total) { UnsafeRawPointer($0) },
      running: addressOfWord(busy), pending: addressOfWord(pendingHint),
      counts: withUnsafePointer(to: &shared.pointee.counts) { $0 },
      timers: timers, watches: watches)
  }
}
