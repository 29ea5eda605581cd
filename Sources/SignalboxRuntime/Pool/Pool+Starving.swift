// Pool+Starving — runs a queue beyond the width if no worker drains it while other items
// compute.
//
// The run queue gives a runnable to the next worker that becomes free. If every holder of a
// permit computes for seconds, none becomes free. The kernel could share the processors between
// those items and the next one, but it only sees threads. A runnable *starves* if no runnable of
// its band has been taken for a few milliseconds, the *starvation limit*, and no worker with a
// permit drains its queue. The monitor then runs it itself, beyond the width.
//
// The limit is shorter if no runnable of the band runs, so that every class begins soon even during
// endless work of another class. It is zero for a band that is *shut out*: no runnable of it runs,
// and every holder of a permit has run the same item for as long as the limit. So a lower band of
// the normal tier starts as soon as the lower tiers, which have workers of their own.
//
// The limit doubles for each `width` workers that run starving runnables of the band, up to a
// maximum. So a pool of two permits whose items compute forever has four workers after a few
// milliseconds, ten after a tenth of a second or two, and then grows towards its ceiling at a
// steady, low rate. Items that end within the limit never cause an extra worker, because after each
// of them its worker takes something from the run queue.
//
// Further items of a concurrent queue that a worker already drains wait for a permit, as on
// Apple's systems: a program that computes on a global queue has as many threads as the
// width. A queue's own drain task is one item at one address, so that address shows which
// worker drains the queue.
//
// Touching    `starvingBand` of every worker, and the run queue: under the lock.
// Rejected    a thread at once for every band of which no runnable runs: during a stream of short
//             items of a higher class, the lower class would get an equal share of the
//             processors.
//             Letting the utility tier wait for the default band: utility starts later, and
//             default no sooner.
//             A time in each runnable: every submission to the run queue would read the clock
//             for the sake of the few that starve.
//             A mark on a drain task that is sent while other workers drain the queue: the mark is
//             wrong once they leave, and the queue starves.
//             The address of any runnable: if its memory is freed and reused, another
//             runnable seems to have a worker.

import CSignalbox

extension Pool {
  /// How long the first runnables of a band may wait if no runnable of the band runs, in
  /// nanoseconds. After this time the kernel takes the processor from a thread that computes, if
  /// others want it.
  private static let starvationLimit: UInt64 = 3_000_000
  /// The same if a runnable of the band runs. Tasks and items, or two queues that share the width,
  /// take turns within this time if their items are a few milliseconds long.
  private static let starvationLimitAmongOwn: UInt64 = 8_000_000
  /// How many times the limit doubles. The last value sets the rate at which a pool grows if its
  /// items never end.
  private static let limitDoublings = 3

  /// When the first band starves if nothing changes; nil if none can. The caller holds
  /// the lock.
  func starvingTime(now: UInt64) -> UInt64? {
    guard mayRunStarving else { return nil }
    if shared.pointee.churns && !shared.pointee.runQueue.isEmpty { return now }
    var earliest: UInt64?
    for band in Band.allCases {
      guard let since = shared.pointee.runQueue.waitingSince(band, now: now) else { continue }
      let time = since + starvationLimit(of: band, now: now)
      earliest = min(earliest ?? time, time)
    }
    return earliest
  }

  /// If a band starves, the monitor takes its first runnable, counts as running and stops
  /// watching. Higher bands come first. The caller holds the lock.
  func runStarving(_ monitor: WorkerPointer, now: UInt64) -> ItemPointer? {
    guard mayRunStarving, let popped = popStarving(now: now) else { return nil }
    setWatched(false)
    countIn(monitor)
    return give(popped, to: monitor)
  }

  /// Gives `popped` to a worker that runs it beyond the width. The caller holds the lock.
  private func give(
    _ popped: (item: ItemPointer, urgency: Urgency), to worker: WorkerPointer
  ) -> ItemPointer? {
    // This store lets the next count see the urgency before the worker itself writes it.
    worker.pointee.urgency.store(popped.urgency.rawValue)
    worker.noteQueue(of: popped.item)
    worker.pointee.starvingBand = popped.urgency.band
    return countPopped(popped)
  }

  private func popStarving(now: UInt64) -> (item: ItemPointer, urgency: Urgency)? {
    if shared.pointee.churns {
      shared.pointee.churns = false
      return shared.pointee.runQueue.popFirst()
    }
    for band in Band.allCases.reversed() {
      guard let since = shared.pointee.runQueue.waitingSince(band, now: now) else { continue }
      let limit = starvationLimit(of: band, now: now)
      guard now >= since + limit else { continue }
      let popped = shared.pointee.runQueue.popFirst(of: band) { hasNoWorker($0, but: nil) }
      if let popped { return popped }
      // The band's wait begins again. A band that is shut out has a limit of zero, which would end
      // at once, so it waits for the usual limit.
      shared.pointee.runQueue.waitOn(band, now: now + (limit == 0 ? Pool.starvationLimit : 0))
    }
    return nil
  }

  /// Whether no worker with a permit drains the queue that sent this runnable. False for a loop's
  /// helper, because the loop's caller takes part. `taker` runs nothing.
  /// The caller holds the lock.
  private func hasNoWorker(_ item: ItemPointer, but taker: WorkerPointer?) -> Bool {
    if item.pointee.flags.contains(.help) { return false }
    guard item.pointee.flags.contains(.ofQueue) else { return true }
    var hasWorker = false
    forEachWithPermit { worker in
      guard worker != taker else { return }
      if worker.pointee.drains.load() == item { hasWorker = true }
    }
    return !hasWorker
  }

  /// Whether the monitor may take a runnable. If there is a spinning worker, that worker takes the
  /// runnable, and no extra worker is needed. The caller holds the lock.
  private var mayRunStarving: Bool {
    shared.pointee.spinner == nil && shared.pointee.running >= permits
      && shared.pointee.total <= ceiling
  }

  /// How long a runnable of `band` waits before it starves. The caller holds the lock.
  private func starvationLimit(of band: Band, now: UInt64) -> UInt64 {
    var helping = 0
    var isAmongOwn = false
    forEachWithPermit { worker in
      if worker.pointee.starvingBand == band { helping += 1 }
      if worker.band == band { isAmongOwn = true }
    }
    if !isAmongOwn && permitsAreStill(now: now) { return 0 }
    let limit = isAmongOwn ? Pool.starvationLimitAmongOwn : Pool.starvationLimit
    return limit << UInt64(min(helping / width, Pool.limitDoublings))
  }

  // MARK: Shut out

  /// Whether any band is shut out, among those whose first runnable has arrived since the last call.
  /// The caller holds the lock, and has found every permit taken.
  func newBandIsShutOut() -> Bool {
    let new = shared.pointee.runQueue.takeNewBands()
    guard !new.isEmpty, tier == .normal, mayRunStarving else { return false }
    return new.contains { !isRunning($0, but: nil) } && permitsAreStill(now: Clock.uptime.now)
  }

  /// Takes a runnable of a band that would be shut out if `worker` did not take it; nil if there is
  /// none. `worker` runs nothing, and no permit is free for it. The caller holds the lock.
  func popShutOut(for worker: WorkerPointer) -> ItemPointer? {
    guard !shared.pointee.runQueue.isEmpty, tier == .normal, mayRunStarving,
      permitsAreStill(now: Clock.uptime.now, but: worker)
    else { return nil }
    for band in Band.allCases.reversed() where !isRunning(band, but: worker) {
      let popped = shared.pointee.runQueue.popFirst(of: band) { hasNoWorker($0, but: worker) }
      if let popped { return give(popped, to: worker) }
    }
    return nil
  }

  /// Whether a worker with a permit runs a runnable of `band`. The caller holds the lock.
  private func isRunning(_ band: Band, but taker: WorkerPointer?) -> Bool {
    var runs = false
    forEachWithPermit { worker in if worker != taker && worker.band == band { runs = true } }
    return runs
  }

  /// Whether as many workers as there are permits have run the same item for as long as
  /// the limit, as far as is known. The caller holds the lock.
  func permitsAreStill(now: UInt64, but taker: WorkerPointer? = nil) -> Bool {
    let earlier = now &- Pool.starvationLimit
    var still = 0
    forEachWithPermit { worker in
      if worker != taker && worker.hasRunTheSame(since: earlier) { still += 1 }
    }
    return still >= permits
  }
}

extension WorkerPointer {
  /// The band of what it runs, or ran last; nil if none is specified.
  fileprivate var band: Band? {
    Urgency(rawValue: pointee.urgency.load()).band
  }

  /// Whether it has neither taken nor ended anything since `time`, as far as it or the
  /// monitor has recorded. The caller holds the lock.
  fileprivate func hasRunTheSame(since time: UInt64) -> Bool {
    let takes = pointee.takes.load()
    let progress = pointee.progress.load()
    let watch = pointee.watch
    if watch.takes == takes && watch.progress == progress && watch.since <= time { return true }
    return pointee.beganAs.load() == takes &+ progress && pointee.beganAt.load() <= time
  }
}
