// Pool+Starting — the one place where a thread is started.

import CSignalbox
import Synchronization

extension Pool {
  /// Starts a worker. A new worker for work arrives as the lookout.
  @inline(never)
  func start(_ errand: Worker.Errand) {
    lock.lock()
    let shared = self.shared
    // Decided anew: others may have come meanwhile.
    switch errand {
    case .work:
      guard shared.pointee.lookout == nil, shared.pointee.running < places else {
        // The place was taken meanwhile: then by someone who may have to be watched.
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

  /// The kernel refused a thread (EAGAIN: a limit on threads or memory): what
  /// is pending stays for the workers there are; see `ThreadRefusal`. Who came
  /// meanwhile counted on the new worker: an idle one is called in its place.
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
