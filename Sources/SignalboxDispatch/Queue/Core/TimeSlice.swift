// TimeSlice — how long one thread may stay with one queue while other runnables wait.

import SignalboxRuntime

struct TimeSlice {
  /// The worker on this thread, if it is one.
  let worker = Worker.ofThisThread
  /// SAFETY: a pool is never released.
  private let pool: Unmanaged<Pool>
  private var began: UInt64 = 0
  /// How many items have run alone: the shared items of a concurrent queue are not counted.
  var runs = 0

  init() {
    // The other runnables wait for a worker of the same tier.
    pool = worker?.pointee.pool ?? Engine.normalPool
  }

  /// Whether so many items ran in a row that another one is likely to follow at once.
  var isStream: Bool { runs >= 8 }

  /// Whether this worker's tier differs from the tier that should drain `queue`. A queue with a
  /// target is drained on the target's tier even if its own is lower, so only a higher tier of its
  /// own counts.
  ///
  /// If the worker's tier is normal, it checks a queue without a quality of service only
  /// occasionally, because the level is on a cache line that producers write.
  @inline(__always)
  func isOfAnotherTier(than queue: DispatchQueue) -> Bool {
    guard let worker else { return false }
    if worker.pointee.tier == .normal {
      if queue.base >= .standard || queue.target != nil { return false }
      if !queue.base.isSpecified && runs & 15 != 15 { return false }
    }
    let tier = Tier(of: queue.level.current(queue.baseLevel))
    return queue.target == nil ? tier != worker.pointee.tier : tier > worker.pointee.tier
  }

  /// Whether the thread should yield now: at the next tick of the coarse clock (at most a few
  /// milliseconds) after it first saw that others wait, for the thread or for the target of
  /// `queue`.
  @inline(__always)
  mutating func isOver(on queue: DispatchQueue) -> Bool {
    if !pool._withUnsafeGuaranteedRef(\.hasPending) && worker?.hasFilledSlot != true
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
