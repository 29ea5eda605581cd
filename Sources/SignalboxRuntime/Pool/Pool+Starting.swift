// Pool+Starting — the only place where a worker's thread is started.

import CSignalbox
import Synchronization

extension Pool {
  /// Starts a worker. A new worker for work begins as the lookout.
  @inline(never)
  func start(_ errand: Worker.Errand) {
    lock.lock()
    let shared = self.shared
    // Decide again, because another worker may have come in the meantime.
    switch errand {
    case .work:
      guard shared.pointee.lookout == nil, shared.pointee.running < places else {
        // The place was taken in the meantime, by a worker that may have to be watched.
        let call = workRemains() ? callForWork() : .nobody
        unlock()
        return place(call)
      }
    case .poll, .deputize, .watch: break
    }
    shared.pointee.started &+= 1
    let worker = WorkerPointer.allocate(capacity: 1)
    worker.initialize(to: Worker(number: shared.pointee.started, pool: self))
    worker.pointee.errand = errand
    shared.pointee.total += 1
    shared.pointee.all.prepend(worker)
    if errand == .work {
      countIn(worker)
      setLookout(worker)
    }
    unlock()
    let error = Starter.start(worker)
    if error != 0 { startFailed(worker, error) }
  }

  /// Handles the kernel's refusal of a thread (EAGAIN: a limit on threads or memory). The
  /// existing workers run what is pending; see `ThreadRefusal`. Threads that submitted in
  /// the meantime relied on the new worker, so an idle one is called instead.
  func startFailed(_ worker: WorkerPointer, _ error: Int32) {
    let errand = worker.pointee.errand
    lock.lock()
    shared.pointee.total -= 1
    let total = shared.pointee.total
    shared.pointee.all.remove(worker)
    if worker.pointee.isCounted { countOut(worker) }
    if shared.pointee.lookout == worker { setLookout(nil) }
    if errand == .watch { setWatched(false) }
    let call =
      shared.pointee.idle != nil && shared.pointee.lookout == nil && workRemains()
      ? callForWork() : .nobody
    unlock()
    place(call)
    worker.deinitialize(count: 1)
    worker.deallocate()
    if errand == .poll { Engine.current.driver.pollerFailed() }
    if errand == .deputize { Engine.current.driver.deputyFailed() }
    ThreadRefusal.note(error, workers: total)
  }
}
