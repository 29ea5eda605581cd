// Pool+Timekeeping — the worker that sleeps until the next timer is due.
//
// The timekeeper is no thread of its own: an idle worker takes the role, and
// when something is due it passes the role on, if timers remain, and runs what
// it found itself. It does not count as running while it sleeps.

import Synchronization

extension Pool {
  /// Calls a timekeeper. The driver asks for one at a time.
  func callTimekeeper() {
    lock.lock()
    var call = Call.start(.keepTime)
    if let worker = shared.pointee.idle {
      shared.pointee.idle = worker.pointee.nextIdle
      worker.pointee.nextIdle = nil
      worker.pointee.errand = .keepTime
      shared.pointee.running += 1
      updateSlotHint()
      rouse(worker)
      call = .wake(worker)
    }
    lock.unlock()
    place(call)
  }

  /// Under the lock, which is left: sleeps until timers are due and fires them.
  func keepTime(_ worker: WorkerPointer) {
    if shared.pointee.lookout == worker { setLookout(nil) }
    shared.pointee.running -= 1
    updateSlotHint()
    let call =
      shared.pointee.lookout == nil && workRemains() ? callForWork() : .nobody
    lock.unlock()
    place(call)

    let driver = Engine.current.driver
    let due = driver.sleepUntilDue()

    lock.lock()
    shared.pointee.running += 1
    updateSlotHint()
    lock.unlock()
    driver.fire(due)
  }
}
