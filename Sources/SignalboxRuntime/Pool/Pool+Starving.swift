// Pool+Starving — runs a queue that no worker serves beyond the width, while other items
// compute.
//
// The lines give a runnable to the next worker that comes. If every place computes for
// seconds, none comes. The kernel could share the processors between those items and the
// next one, but it only sees threads. A runnable *starves* if no runnable of its band has
// been taken for a few milliseconds, the *patience*, and no worker with a place serves its
// queue. The monitor then runs it itself, beyond the width.
//
// The patience is shorter if nothing of the band runs at all, so that every class begins
// soon even during endless work of another class. It is zero for a band that is *shut out*: nothing
// of it runs, and every place has run one item for as long as the patience. So a lower band of the
// normal tier starts as soon as the lower tiers, which have workers of their own.
//
// The patience doubles with each `width` workers that run such runnables of the band, up to
// a limit. So a pool of two places whose items compute forever has four workers after a few
// milliseconds, ten after a tenth of a second or two, and then grows towards its ceiling at
// a steady, low rate. Items that end within the patience never cause an extra worker,
// because each end takes something from the lines.
//
// More items of a concurrent queue that a worker already serves wait for a place, as on
// Apple's systems: a program that computes on a global queue has as many threads as the
// width. A queue's own invitation is one item at one address, so that address shows which
// worker serves the queue.
//
// Touching    `rescues` of every worker, and the lines: under the lock.
// Rejected    a thread at once for every band of which nothing runs: under a stream of short
//             items of a higher class the lower one would have an equal share of the
//             processors.
//             Letting the utility tier wait for the default band: utility starts later, and
//             default no sooner.
//             A time in each runnable: every submission to the lines would read the clock
//             for the sake of the few that starve.
//             A mark on an invitation that is sent while others serve the queue: it is wrong
//             once they leave, and the queue starves.
//             The address of any runnable: if its memory is freed and reused, another
//             runnable looks served.

import CSignalbox

extension Pool {
  /// How long the first runnables of a band may wait if nothing of the band runs, in
  /// nanoseconds. After this time the kernel takes the processor from a thread that
  /// computes, if others want it.
  private static let patience: UInt64 = 3_000_000
  /// The same if something of the band runs. Tasks and items, or two queues that share
  /// the width, take turns within this time if their items are a few milliseconds long.
  private static let patienceAmongOwn: UInt64 = 8_000_000
  /// How often the patience doubles. The last value sets the rate at which a pool grows
  /// whose items never end.
  private static let patienceDoublings = 3

  /// When the first band starves if nothing changes; nil if none can. The caller holds
  /// the lock.
  func starvingTime(now: UInt64) -> UInt64? {
    guard mayRescue else { return nil }
    if shared.pointee.churns && !shared.pointee.lines.isEmpty { return now }
    var earliest: UInt64?
    for band in Band.allCases {
      guard let since = shared.pointee.lines.waitingSince(band, now: now) else { continue }
      let time = since + patience(of: band, now: now)
      earliest = min(earliest ?? time, time)
    }
    return earliest
  }

  /// If a band starves, the monitor takes its first runnable, counts as running and stops
  /// watching. Higher bands come first. The caller holds the lock.
  func rescue(_ monitor: WorkerPointer, now: UInt64) -> ItemPointer? {
    guard mayRescue, let popped = popStarving(now: now) else { return nil }
    setWatched(false)
    countIn(monitor)
    return give(popped, to: monitor)
  }

  /// Gives `popped` to a worker that runs it beyond the width. The caller holds the lock.
  private func give(
    _ popped: (item: ItemPointer, urgency: Urgency), to worker: WorkerPointer
  ) -> ItemPointer? {
    // This store lets the next count see the urgency before the worker itself writes it.
    // order: relaxed; the counts that read it may be out of date.
    worker.pointee.urgency.store(popped.urgency.rawValue, ordering: .relaxed)
    worker.noteQueue(of: popped.item)
    worker.pointee.rescues = popped.urgency.band
    return countPopped(popped)
  }

  private func popStarving(now: UInt64) -> (item: ItemPointer, urgency: Urgency)? {
    if shared.pointee.churns {
      shared.pointee.churns = false
      return shared.pointee.lines.popFirst()
    }
    for band in Band.allCases.reversed() {
      guard let since = shared.pointee.lines.waitingSince(band, now: now) else { continue }
      let patience = patience(of: band, now: now)
      guard now >= since + patience else { continue }
      let popped = shared.pointee.lines.popFirst(of: band) { isUnserved($0, but: nil) }
      if let popped { return popped }
      // This also covers a band that is shut out, whose patience would otherwise end
      // again at once.
      shared.pointee.lines.waitOn(band, now: now + (patience == 0 ? Pool.patience : 0))
    }
    return nil
  }

  /// Whether no worker with a place serves the queue that sent this runnable. A loop's
  /// helper counts as served, because the loop's caller takes part. `taker` runs nothing.
  /// The caller holds the lock.
  private func isUnserved(_ item: ItemPointer, but taker: WorkerPointer?) -> Bool {
    if item.pointee.flags.contains(.help) { return false }
    guard item.pointee.flags.contains(.ofQueue) else { return true }
    var isServed = false
    forEachWithPlace { worker in
      guard worker != taker else { return }
      // order: relaxed; if a worker's value is one runnable old, a later look corrects it.
      if worker.pointee.serves.load(ordering: .relaxed) == item { isServed = true }
    }
    return !isServed
  }

  /// Whether the monitor may take a runnable. If there is a spinning worker, it takes the
  /// runnable without being one too many. The caller holds the lock.
  private var mayRescue: Bool {
    shared.pointee.spinner == nil && shared.pointee.running >= places
      && shared.pointee.total <= ceiling
  }

  /// How long a runnable of `band` waits before it starves. The caller holds the lock.
  private func patience(of band: Band, now: UInt64) -> UInt64 {
    var rescuing = 0
    var isAmongOwn = false
    forEachWithPlace { worker in
      if worker.pointee.rescues == band { rescuing += 1 }
      if worker.band == band { isAmongOwn = true }
    }
    if !isAmongOwn && placesAreStill(now: now) { return 0 }
    let patience = isAmongOwn ? Pool.patienceAmongOwn : Pool.patience
    return patience << UInt64(min(rescuing / width, Pool.patienceDoublings))
  }

  // MARK: Shut out

  /// Whether a band is shut out whose first runnable has come since the last call. Every
  /// place is taken. The caller holds the lock.
  func newBandIsShutOut() -> Bool {
    let new = shared.pointee.lines.takeNewBands()
    guard !new.isEmpty, tier == .normal, mayRescue else { return false }
    return new.contains { !isRunning($0, but: nil) } && placesAreStill(now: Clock.uptime.now)
  }

  /// A runnable of a band that is shut out unless `worker` takes it. `worker` runs
  /// nothing, and no place is free for it. The caller holds the lock.
  func popShutOut(for worker: WorkerPointer) -> ItemPointer? {
    guard !shared.pointee.lines.isEmpty, tier == .normal, mayRescue,
      placesAreStill(now: Clock.uptime.now, but: worker)
    else { return nil }
    for band in Band.allCases.reversed() where !isRunning(band, but: worker) {
      let popped = shared.pointee.lines.popFirst(of: band) { isUnserved($0, but: worker) }
      if let popped { return give(popped, to: worker) }
    }
    return nil
  }

  /// Whether a worker with a place runs something of `band`. The caller holds the lock.
  private func isRunning(_ band: Band, but taker: WorkerPointer?) -> Bool {
    var runs = false
    forEachWithPlace { worker in if worker != taker && worker.band == band { runs = true } }
    return runs
  }

  /// Whether as many workers as there are places have run the same item for as long as
  /// the patience, as far as is known. The caller holds the lock.
  func placesAreStill(now: UInt64, but taker: WorkerPointer? = nil) -> Bool {
    let earlier = now &- Pool.patience
    var still = 0
    forEachWithPlace { worker in
      if worker != taker && worker.hasRunTheSame(since: earlier) { still += 1 }
    }
    return still >= places
  }
}

extension WorkerPointer {
  /// The band of what it runs, or ran last; nil if none is specified.
  fileprivate var band: Band? {
    // order: relaxed; may be out of date, the monitor looks again.
    Urgency(rawValue: pointee.urgency.load(ordering: .relaxed)).band
  }

  /// Whether it has neither taken nor ended anything since `time`, as far as it or the
  /// monitor has recorded. The caller holds the lock.
  fileprivate func hasRunTheSame(since time: UInt64) -> Bool {
    // order: relaxed; compared with other readings only.
    let takes = pointee.takes.load(ordering: .relaxed)
    // order: relaxed; see above.
    let progress = pointee.progress.load(ordering: .relaxed)
    let watch = pointee.watch
    if watch.takes == takes && watch.progress == progress && watch.since <= time { return true }
    // order: relaxed; may be out of date, the monitor looks again.
    return pointee.beganAs.load(ordering: .relaxed) == takes &+ progress
      // order: relaxed; see above.
      && pointee.beganAt.load(ordering: .relaxed) <= time
  }
}
