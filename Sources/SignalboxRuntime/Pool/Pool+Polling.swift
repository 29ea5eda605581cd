// Pool+Polling — the worker that sleeps until a timer is due or a descriptor ready, and
// its deputy.
//
// Neither is a thread of its own: a worker takes the role, see `PollerRole`, and runs what
// it found itself. It does not count as running while it sleeps.

import Synchronization

extension Pool {
  /// Calls a worker for the driver, which asks for one of a kind at a time.
  func call(_ errand: Worker.Errand) {
    lock.lock()
    var call = Call.start(errand)
    if let worker = takeIdle(for: errand) { call = .wake(worker) }
    unlock()
    place(call)
  }

  /// Under the lock, which is left: sleeps until something is due or ready, and tells
  /// those whom it concerns. The worker has the role.
  func poll(_ worker: WorkerPointer) {
    unlock()
    offerPlaceBelow()
    pollOutsideLock(worker)
  }

  private func pollOutsideLock(_ worker: WorkerPointer) {
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

  /// Under the lock, which is left, and taken again if it did not poll: guards the
  /// poller's role.
  ///
  /// - Returns: whether it took the role, and polled.
  func deputize(_ worker: WorkerPointer) -> Bool {
    unlock()
    if Engine.current.driver.deputize() {
      pollOutsideLock(worker)
      return true
    }
    lock.lock()
    countIn(worker)
    return false
  }

  /// Whether the poller's role waits for somebody.
  var roleIsVacant: Bool { tier == .normal && Engine.current.driver.role.isVacant }

  /// Takes the poller's role if it is vacant.
  func takeRole() -> Bool { tier == .normal && Engine.current.driver.role.take() }

  /// Whether any worker runs something. A hint.
  var othersRun: Bool { busy.load(ordering: .relaxed) > 0 }  // order: relaxed; a hint.
}
