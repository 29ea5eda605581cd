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
    if let worker = takeIdle(for: .keepTime) { call = .wake(worker) }
    unlock()
    place(call)
  }

  /// Under the lock, which is left: sleeps until timers are due and fires them.
  func keepTime(_ worker: WorkerPointer) {
    unlock()

    let driver = Engine.current.driver
    let due = driver.sleepUntilDue()

    lock.lock()
    countIn(worker)
    unlock()
    driver.fire(due)
  }
}
