// Pool+Idling — what a worker without work does: it polls, watches, spins or parks, until it has a
// runnable.
//
// All decisions are made under the pool's lock. Outside it, the worker only checks a
// hint or sleeps.

import CSignalbox

extension Pool {
  /// Returns the next runnable of `worker`; sleeps until there is one. `nil`: the worker
  /// retires.
  @inline(never)
  func next(_ worker: WorkerPointer) -> ItemPointer? {
    let maySpinLong = tier == .normal
    let began = maySpinLong ? Clock.uptime.now : 0
    defer {
      // With a small timer slack, an item that sleeps for a microsecond would never leave its
      // processor: the sleep would end before the kernel has put the thread to sleep.
      csb_thread_loosen_timers()
      if maySpinLong {
        let now = Clock.uptime.now
        worker.hasWaited(now &- began)
        worker.noteBeginning(at: now)
      }
    }
    lock.lock()
    // Whether the worker may run something beyond the width for a band that is shut out.
    var mayBeExtra = worker.pointee.starvingBand != nil
    worker.pointee.starvingBand = nil
    while true {
      // The monitor counted the worker out after the worker last read its notes, or after the
      // worker was chosen and before it was awake.
      if worker.isCountedOut { takeBackCountingOut(worker) }
      let wakeReason = worker.pointee.wakeReason
      if wakeReason == .poll || wakeReason == .backupPoll {
        worker.pointee.wakeReason = .work
        if wakeReason == .poll { poll(worker) } else if !backupPoll(worker) { continue }
        // This worker runs what its poll found.
        if let item = takeOwn(worker) { return item }
        lock.lock()
        mayBeExtra = true
        continue
      }
      if worker.pointee.wakeReason == .watch {
        worker.pointee.wakeReason = .work
        if let item = watch(worker) { return leave(worker, with: item) }
        continue
      }
      if shared.pointee.running <= permits {
        if let item = popPending() { return leave(worker, with: item) }
        // A worker that may poll does not become the spinning worker.
        if shared.pointee.spinner == worker || !mayPoll(worker), spinForWork(worker) { continue }
        if let item = steal(for: worker) { return leave(worker, with: item) }
      } else if let item = popOvercommit(for: worker)
        ?? (mayBeExtra ? popShutOut(for: worker) : nil)
      {
        return leave(worker, with: item)
      }
      if shared.pointee.spinner == worker { setSpinner(nil) }
      switch park(worker) {
      // The worker may have been woken for a band that is shut out.
      case .woken: mayBeExtra = true
      case .polls: worker.pointee.wakeReason = .poll
      case .retired: return nil
      }
    }
  }

  /// The worker stops being the spinning worker and runs `item`. If more is waiting, another
  /// worker becomes the spinning worker. The caller holds the lock, and this releases it.
  private func leave(_ worker: WorkerPointer, with item: ItemPointer) -> ItemPointer {
    if shared.pointee.spinner == worker { setSpinner(nil) }
    var call = Call.nobody
    let mayCall =
      !worker.pointee.batch.keepsRole
      && (shared.pointee.running < permits || !shared.pointee.isWatched)
    if shared.pointee.spinner == nil && mayCall && workRemains() { call = callForWork() }
    unlock()
    carryOut(call)
    return item
  }
}
