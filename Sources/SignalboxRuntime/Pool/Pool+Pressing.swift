// Pool+Pressing — a place beyond the width for what is more urgent than what has them.
//
// The lines give the most urgent runnable to the next worker that comes. If all places
// compute something of a lower band, nobody may come for seconds. A runnable of a higher
// band is therefore counted against its own band and those above it only: it may run
// while fewer workers than the width run something as urgent. The kernel shares the
// processors.
//
// Who takes it is a worker that would otherwise park because it is one too many (the
// poller, with what it has found), at once; else the watcher, after a time in which
// nobody took anything from the lines.
//
// Invariants  I1  of each band and those above it together, no more workers are given
//                 a runnable at a time than the width, but for what they put into their
//                 own slots and those that come back from a wait.
// Rejected    calling a worker with the submission: where the places run short things,
//             one of them comes sooner than a thread wakes.

import Synchronization

extension Pool {
  /// Under the lock, with no place free for `taker`: the most urgent runnable of the
  /// lines, if those that run something as urgent leave a place.
  func popPressing(for taker: WorkerPointer) -> ItemPointer? {
    // Nothing in a lower tier is more urgent than the rest of it.
    guard tier == .normal, let urgency = shared.pointee.lines.highest, let band = urgency.band,
      band > .standard,
      running(atLeast: band, but: taker) < width
    else { return nil }
    // Seen by the next that counts, before the worker itself says it.
    // order: relaxed; as below.
    taker.pointee.urgency.store(urgency.rawValue, ordering: .relaxed)
    return countPopped(shared.pointee.lines.popHighest())
  }

  /// Under the lock: how many others with a place run something of `band` or a higher one.
  private func running(atLeast band: Band, but taker: WorkerPointer) -> Int {
    var running = 0
    forEachWorker { worker in
      guard worker != taker, worker.pointee.isCounted, worker != shared.pointee.lookout else {
        return
      }
      // order: relaxed; what is late by a runnable costs a thread too many or a look.
      let urgency = Urgency(rawValue: worker.pointee.urgency.load(ordering: .relaxed))
      if let its = urgency.band, its >= band { running += 1 }
    }
    return running
  }
}
