// TimeSlice — how long one thread may stay with one queue while other runnables wait.

import SignalboxRuntime

/// How long one drainer may stay with one queue while other runnables wait.
struct TimeSlice {
  /// The worker that this thread is, if it is one.
  let worker = Worker.ofThisThread
  private let pool: Pool
  private var began: UInt64 = 0
  /// How many items were run.
  var runs = 0

  init() {
    // Others wait for a worker of the same tier.
    pool = worker?.pointee.pool._withUnsafeGuaranteedRef { $0 } ?? Engine.current.pool
  }

  /// Whether so many came in a row that another is likely to follow at once.
  var isStream: Bool { runs >= 8 }

  /// Whether this is a worker of another tier than the one that is to serve
  /// `queue`. One with a target is never served lower than that is: the target is
  /// asked.
  ///
  /// On a usual queue it is looked up now and then only: the level stands on a cache
  /// line that producers write.
  @inline(__always)
  func isOfAnotherTier(than queue: DispatchQueue) -> Bool {
    guard let worker else { return false }
    if worker.pointee.tier == .normal {
      if queue.base >= .standard || queue.target != nil { return false }
      if !queue.base.isSpecified && runs & 15 != 15 { return false }
    }
    let tier = Tier(of: queue.level.current(queue.rest))
    return queue.target == nil ? tier != worker.pointee.tier : tier > worker.pointee.tier
  }

  /// Whether others should get their turn now: one tick of the coarse clock
  /// (some milliseconds) after it was first seen that others wait, for the
  /// thread or for the target of `queue`.
  @inline(__always)
  mutating func isOver(on queue: DispatchQueue) -> Bool {
    if !pool.hasPending && worker?.hasFilledSlot != true
      && queue.target?.list.isEmpty() != false
    {
      began = 0
      return false
    }
    return hasLasted()
  }

  @inline(never)
  private mutating func hasLasted() -> Bool {
    let now = Clock.coarseUptime
    if began == 0 { began = now }
    return now != began
  }
}
