// Pool+Pressing — a place beyond the width for what is more urgent than what has them.
//
// The lines give the most urgent runnable to the next worker that comes. If all places
// compute something of a lower band, nobody may come for seconds. A runnable of a higher
// band is therefore counted against its own band and those above it only: it may run
// while fewer workers than the width run something as urgent. The kernel shares the
// processors.
//
// Who takes it is a worker that would otherwise park because it is one too many (the
// poller, with what it has found), at once; else the watcher, which is called for it and
// takes it if nobody has taken anything from the lines a moment later.
//
// Invariants  I1  of each band and those above it together, no more workers are given
//                 a runnable at a time than the width, but for what they put into their
//                 own slots and those that come back from a wait.
// Rejected    a worker that is woken to take it without that moment: where the places
//             run short things, one of them comes before a woken thread does.

import Synchronization

extension Pool {
  /// What those that have the places are given to come by themselves, in nanoseconds: a
  /// few times what it takes to wake a thread.
  private static let moment: UInt64 = 100_000

  /// Under the lock, with no place free for `taker`: the most urgent runnable of the
  /// lines, if those that run something as urgent leave a place.
  func popPressing(for taker: WorkerPointer) -> ItemPointer? {
    guard let urgency = pressing(upon: taker) else { return nil }
    // Seen by the next that counts, before the worker itself says it.
    // order: relaxed; a hint for those who count what runs, under the lock.
    taker.pointee.urgency.store(urgency.rawValue, ordering: .relaxed)
    return countPopped(shared.pointee.lines.popHighest())
  }

  /// Under the lock, where every place is taken: how urgent the most urgent runnable of the
  /// lines is, if it may run nevertheless. `taker` runs nothing.
  func pressing(upon taker: WorkerPointer?) -> Urgency? {
    // Nothing in a lower tier is more urgent than the rest of it.
    guard tier == .normal, let urgency = shared.pointee.lines.highest, let band = urgency.band,
      band > .standard, running(atLeast: band, but: taker) < width
    else { return nil }
    return urgency
  }

  /// Under the lock: how many with a place run something of `band` or a higher one.
  private func running(atLeast band: Band, but taker: WorkerPointer?) -> Int {
    var running = 0
    shared.pointee.all.forEach { worker in
      guard worker != taker, worker.pointee.isCounted, worker != shared.pointee.lookout else {
        return
      }
      // order: relaxed; what is late by a runnable costs a thread too many or a look.
      let urgency = Urgency(rawValue: worker.pointee.urgency.load(ordering: .relaxed))
      if let its = urgency.band, its >= band { running += 1 }
    }
    return running
  }

  /// Whether what is so urgent would be left in the slot of `worker`, which runs something of
  /// a lower band, with nobody free to look there. For that worker's thread.
  @inline(__always)
  func presses(_ urgency: Urgency, upon worker: WorkerPointer) -> Bool {
    // order: relaxed; its own.
    let own = Urgency(rawValue: worker.pointee.urgency.load(ordering: .relaxed))
    return urgency > own && mayPress(urgency, upon: own) && !worker.pointee.isDelivering
  }

  @inline(never)
  private func mayPress(_ urgency: Urgency, upon own: Urgency) -> Bool {
    guard let band = urgency.band, let lower = own.band, band > max(.standard, lower) else {
      return false
    }
    return busy.load(ordering: .relaxed) >= width  // order: relaxed; a hint.
  }

  /// Under the lock: calls the watcher if it sleeps and something presses or is shut out. Once
  /// it has been called it costs nothing until it sleeps again. For what is shut out a parked
  /// worker comes instead, where there is one, and the watcher stays.
  func callForPressing() -> Call {
    guard let watcher = shared.pointee.sleepingWatcher else { return .nobody }
    let isShutOut = newBandIsShutOut()
    if isShutOut, let worker = takeIdle(for: .work) { return .wake(worker, worker.pointee.thread) }
    guard isShutOut || pressing(upon: nil) != nil else { return .nobody }
    shared.pointee.sleepingWatcher = nil
    rouse(watcher)
    return .wake(watcher, watcher.pointee.thread)
  }

  /// Under the lock, which is left and taken again: something presses. If nobody takes
  /// anything from the lines for a moment, the watcher runs it itself and watches no longer.
  func takeOver(_ watcher: WorkerPointer) -> ItemPointer? {
    let taken = shared.pointee.lines.takes
    let now = Clock.uptime.now
    // Where every place has run one item for long, nobody comes in a moment either.
    if !placesAreStill(now: now) { sleepUncalled(watcher, until: now + Pool.moment) }
    guard taken == shared.pointee.lines.takes, shared.pointee.lookout == nil,
      shared.pointee.running >= places, let item = popPressing(for: watcher)
    else { return nil }
    setWatched(false)
    countIn(watcher)
    return item
  }
}
