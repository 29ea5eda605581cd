// Pool+Overcommit — runs a runnable beyond the width if it is more urgent than the runnables of the
// workers that have permits.
//
// A worker that becomes free (see `takeOwn`) gets the most urgent runnable of the run queue. If all
// workers with permits compute something of a lower band, none may become free for seconds. So a
// runnable of a higher band is counted only against its own band and the bands above it: it may run
// while fewer workers than the width run something of these bands. The kernel shares the
// processors.
//
// A worker that would otherwise park because too many workers run takes the runnable at once. An
// example is the poller with the events that it has found. Otherwise the monitor is called. It
// waits a moment, and takes the runnable if no worker has taken anything from the run queue.
//
// Invariants  I1  for each band, the number of workers that were given a runnable of that band or a
//                 higher one is at most the width. Runnables that workers put into their own slots,
//                 and workers that return from a wait, do not count.
// Rejected    waking a worker at once to take it: if the holders of permits run short items, one of
//             them ends before a woken thread runs.

extension Pool {
  /// How long to wait for a worker with a permit to take the runnable, in nanoseconds: a
  /// few times as long as waking a thread takes.
  private static let moment: UInt64 = 100_000

  /// Takes the most urgent runnable out of the run queue, if it may run although no permit is free
  /// for `taker`: if fewer workers than the width run something as urgent. The caller holds the
  /// lock.
  func popOvercommit(for taker: WorkerPointer) -> ItemPointer? {
    guard let urgency = overcommitting(for: taker) else { return nil }
    // This store lets the next count see the urgency before the worker itself writes it.
    taker.pointee.urgency.store(urgency.rawValue)
    return countPopped(shared.pointee.runQueue.popHighest())
  }

  /// The urgency of the most urgent runnable in the run queue, if it may run although every
  /// permit is taken. `taker` runs nothing. The caller holds the lock.
  func overcommitting(for taker: WorkerPointer?) -> Urgency? {
    // In a lower tier, all runnables have the same band.
    guard tier == .normal, let urgency = shared.pointee.runQueue.highest, let band = urgency.band,
      band > .standard, running(atLeast: band, but: taker) < width
    else { return nil }
    return urgency
  }

  /// How many workers with a permit run something of `band` or a higher one. The caller
  /// holds the lock.
  private func running(atLeast band: Band, but taker: WorkerPointer?) -> Int {
    var running = 0
    shared.pointee.all.forEach { worker in
      guard worker != taker, worker.pointee.isCounted, worker != shared.pointee.spinner else {
        return
      }
      let urgency = Urgency(rawValue: worker.pointee.urgency.load())
      if let its = urgency.band, its >= band { running += 1 }
    }
    return running
  }

  /// Whether a runnable of this urgency would stay in the slot of `worker`, which runs
  /// something of a lower band, while no worker is free to look there. Only that worker's
  /// thread calls this.
  @inline(__always)
  func overcommits(_ urgency: Urgency, over worker: WorkerPointer) -> Bool {
    let own = Urgency(rawValue: worker.pointee.urgency.load())
    return urgency > own && mayOvercommit(urgency, over: own) && !worker.pointee.isDelivering
  }

  @inline(never)
  private func mayOvercommit(_ urgency: Urgency, over own: Urgency) -> Bool {
    guard let band = urgency.band, let lower = own.band, band > max(.standard, lower) else {
      return false
    }
    return busy.load() >= width
  }

  /// Calls the monitor if it sleeps and a runnable overcommits or a band is shut out. After
  /// the call this costs nothing until the monitor sleeps again. For a band that is shut
  /// out, a parked worker is called instead, if there is one, and the monitor stays. The
  /// caller holds the lock.
  func callForOvercommit() -> Call {
    guard let monitor = shared.pointee.sleepingMonitor else { return .nobody }
    let isShutOut = newBandIsShutOut()
    if isShutOut, let worker = takeIdle(for: .work) { return .wake(worker, worker.pointee.thread) }
    guard isShutOut || overcommitting(for: nil) != nil else { return .nobody }
    shared.pointee.sleepingMonitor = nil
    rouse(monitor)
    return .wake(monitor, monitor.pointee.thread)
  }

  /// Handles an overcommitting runnable. If no worker takes anything from the run queue for a
  /// moment, the monitor runs it itself and stops watching. The caller holds the lock;
  /// this releases it and takes it again.
  func takeOver(_ monitor: WorkerPointer) -> ItemPointer? {
    let taken = shared.pointee.runQueue.takes
    let now = Clock.uptime.now
    // If every holder of a permit has run one item for long, no worker becomes free within a
    // moment either.
    if !permitsAreStill(now: now) { sleepUncalled(monitor, until: now + Pool.moment) }
    guard taken == shared.pointee.runQueue.takes, shared.pointee.spinner == nil,
      shared.pointee.running >= permits, let item = popOvercommit(for: monitor)
    else { return nil }
    setWatched(false)
    countIn(monitor)
    return item
  }
}
