// Pool+Polling — the worker that sleeps until a timer is due or a descriptor ready.
//
// The poller is no thread of its own: an idle worker takes the role, and when it has
// found something it passes the role on, if anything is still registered, and runs what
// it found itself. It does not count as running while it sleeps.

import Synchronization

extension Pool {
  /// Calls a poller. The driver asks for one at a time.
  func callPoller() {
    lock.lock()
    var call = Call.start(.poll)
    if let worker = takeIdle(for: .poll) { call = .wake(worker) }
    unlock()
    place(call)
  }

  /// Under the lock, which is left: sleeps until something is due or ready, and tells
  /// those whom it concerns.
  func poll(_ worker: WorkerPointer) {
    unlock()

    let driver = Engine.current.driver
    let found = driver.poll()

    lock.lock()
    countIn(worker)
    unlock()
    // What comes into the slot meanwhile this worker takes itself, at once.
    worker.pointee.isDelivering = true
    driver.deliver(found)
    worker.pointee.isDelivering = false
  }
}
