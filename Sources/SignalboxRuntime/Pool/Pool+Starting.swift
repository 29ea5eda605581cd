// Pool+Starting — the only place where a worker's thread is started.

import CSignalbox
import Synchronization

extension Pool {
  /// Starts a worker. A new worker for work begins as the spinning worker.
  @inline(never)
  func start(_ wakeReason: Worker.WakeReason) {
    lock.lock()
    let shared = self.shared
    // Decide again, because another worker may have arrived in the meantime.
    switch wakeReason {
    case .work:
      guard shared.pointee.spinner == nil, shared.pointee.running < permits else {
        // The permit was taken in the meantime, by a worker that may have to be watched.
        let call = workRemains() ? callForWork() : .nobody
        unlock()
        return carryOut(call)
      }
    case .poll, .backupPoll, .watch: break
    }
    shared.pointee.started &+= 1
    shared.pointee.counts.started += 1
    let worker = WorkerPointer.allocate(capacity: 1)
    worker.initialize(to: Worker(number: shared.pointee.started, pool: self))
    worker.pointee.wakeReason = wakeReason
    shared.pointee.total += 1
    shared.pointee.all.prepend(worker)
    if wakeReason == .work {
      countIn(worker)
      setSpinner(worker)
    }
    unlock()
    let error = Starter.start(worker)
    if error != 0 { startFailed(worker, error) }
  }

  /// Handles the kernel's refusal of a thread (EAGAIN: a limit on threads or memory). The
  /// existing workers run what is pending; see `ThreadRefusal`. Threads that submitted in
  /// the meantime relied on the new worker, so an idle one is called instead.
  func startFailed(_ worker: WorkerPointer, _ error: Int32) {
    let wakeReason = worker.pointee.wakeReason
    lock.lock()
    shared.pointee.total -= 1
    shared.pointee.counts.started -= 1
    shared.pointee.wasRefused = true
    let total = shared.pointee.total
    shared.pointee.all.remove(worker)
    if worker.pointee.isCounted { countOut(worker) }
    if shared.pointee.spinner == worker { setSpinner(nil) }
    if wakeReason == .watch { setWatched(false) }
    let call =
      shared.pointee.idle != nil && shared.pointee.spinner == nil && workRemains()
      ? callForWork() : .nobody
    let needsPollers =
      wakeReason == .work && tier == .normal && shared.pointee.idle == nil
      && shared.pointee.spinner == nil && workRemains()
    let pollerMayLeave = allWorkersPoll
    unlock()
    carryOut(call)
    if needsPollers { Engine.current.driver.sendToWork(pollerMayLeave: pollerMayLeave) }
    worker.deinitialize(count: 1)
    worker.deallocate()
    if wakeReason == .poll {
      Engine.current.driver.pollerFailed()
      callIdlePoller()
    }
    if wakeReason == .backupPoll { Engine.current.driver.backupPollerFailed() }
    ThreadRefusal.note(error, workers: total)
  }

  /// Whether every worker is a poller or a backup poller. False if a worker blocks in its item: it
  /// may wait for what the poller delivers, so the poller must stay. The caller holds the lock.
  private var allWorkersPoll: Bool {
    shared.pointee.total > 0 && shared.pointee.running == 0 && shared.pointee.idle == nil
      && shared.pointee.counts.blocked == 0 && shared.pointee.counts.counted_out == 0
  }
}
