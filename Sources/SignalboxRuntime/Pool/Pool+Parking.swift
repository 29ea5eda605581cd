// Pool+Parking — how a worker without work parks, and how a worker that stays parked ends.

import Synchronization

extension Pool {
  /// How long a worker stays parked before it ends, in nanoseconds. The last one stays.
  private static let retirement: UInt64 = 5_000_000_000

  enum Parked { case woken, polls, retired }

  /// Parks the worker. The caller holds the lock. This releases it, and takes it again
  /// unless it returns `.retired`.
  func park(_ worker: WorkerPointer) -> Parked {
    countOut(worker)
    // The hint has changed, so look at the slots once more (PL1). Otherwise a runnable there would
    // be lost.
    if shared.pointee.spinner == nil && shared.pointee.running < permits && workRemains() {
      countIn(worker)
      setSpinner(worker)
      return .woken
    }
    if shared.pointee.running >= permits && shared.pointee.spinner == nil
      && !shared.pointee.isWatched && workRemains()
    {
      // The worker is not needed for the work, but it is needed as the monitor (I4).
      setWatched(true)
      giveUpRole(worker)
      worker.pointee.wakeReason = .watch
      return .woken
    }
    if takeRole(worker) { return .polls }
    // The backup poller has taken over the role that this worker kept.
    worker.pointee.batch = Batch()
    worker.pointee.nextIdle = shared.pointee.idle
    shared.pointee.idle = worker
    shared.pointee.counts.parked += 1
    // order: relaxed; written under the lock, like every change of the word.
    worker.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
    let staysForEver = shared.pointee.total == 1
    unlock()
    Probe.worker(.workerParked, worker)
    offerPermitBelow()
    let retired = !sleepParked(worker, mayRetire: !staysForEver)
    Probe.worker(.workerUnparked, worker)
    if retired { return .retired }
    lock.lock()
    return .woken
  }

  /// Sleeps until woken. Returns false if the worker left the pool instead.
  private func sleepParked(_ worker: WorkerPointer, mayRetire: Bool) -> Bool {
    var deadline =
      mayRetire ? Deadline(.uptime, Clock.uptime.now + Pool.retirement) : .never
    // order: acquiring, W2
    while worker.pointee.word.load(ordering: .acquiring) == WorkerWord.asleep {
      let outcome = FutexSleeper.sleep(
        while: wordAddress(worker.pointee.word), is: WorkerWord.asleep, until: deadline)
      guard outcome == .timedOut else { continue }
      if retire(worker) { return false }
      deadline = .never
    }
    return true
  }

  /// Removes a parked worker from the pool, unless it is being woken or is the last one.
  private func retire(_ worker: WorkerPointer) -> Bool {
    lock.lock()
    defer { unlock() }
    guard shared.pointee.total > 1, removeIdle(worker) else { return false }
    shared.pointee.counts.parked -= 1
    shared.pointee.total -= 1
    shared.pointee.all.remove(worker)
    return true
  }

  /// Removes the worker from the idle list. Returns whether it was there. The caller
  /// holds the lock.
  private func removeIdle(_ worker: WorkerPointer) -> Bool {
    if shared.pointee.idle == worker {
      shared.pointee.idle = worker.pointee.nextIdle
      return true
    }
    var next = shared.pointee.idle
    while let other = next {
      if other.pointee.nextIdle == worker {
        other.pointee.nextIdle = worker.pointee.nextIdle
        return true
      }
      next = other.pointee.nextIdle
    }
    return false
  }
}
