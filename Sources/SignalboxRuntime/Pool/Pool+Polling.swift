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
    if let worker = takeIdle(for: errand) { call = .wake(worker, worker.pointee.thread) }
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
    let found = Engine.current.driver.poll(as: worker.pointee.number)
    lock.lock()
    countIn(worker)
    unlock()
    deliver(found, worker)
  }

  private func deliver(_ found: consuming Driver.Found, _ worker: WorkerPointer) {
    worker.pointee.batch = Batch(of: found.count, keepsRole: found.keepsRole)
    // What comes into the slot meanwhile this worker takes itself, at once.
    worker.pointee.isDelivering = true
    Engine.current.driver.deliver(found)
    worker.pointee.isDelivering = false
  }

  /// Under the lock, which is left, and taken again if it did not poll: guards the
  /// poller's role.
  ///
  /// - Returns: whether it took the role, and polled.
  func deputize(_ worker: WorkerPointer) -> Bool {
    unlock()
    if Engine.current.driver.deputize() {
      callForRest()
      pollOutsideLock(worker)
      return true
    }
    lock.lock()
    countIn(worker)
    return false
  }

  // MARK: The role

  /// Whether this worker may take the poller's role. A hint.
  func mayPoll(_ worker: WorkerPointer) -> Bool {
    tier == .normal && Engine.current.driver.role.isOpen(to: worker.pointee.number)
  }

  /// Takes the role if this worker may.
  func takeRole(_ worker: WorkerPointer) -> Bool {
    guard tier == .normal, Engine.current.driver.role.take(as: worker.pointee.number) else {
      return false
    }
    // Not changed in place: to the sanitizer that would be an access to the whole worker,
    // which others read.
    worker.pointee.batch.tell(Engine.current.driver.pace, Clock.uptime.now)
    worker.pointee.batch = Batch()
    return true
  }

  /// The worker is about to wait, and cannot come back to the role that it keeps.
  func giveUpRole(_ worker: WorkerPointer) {
    guard worker.pointee.batch.keepsRole else { return }
    worker.pointee.batch = Batch()
    Engine.current.driver.role.giveUp(worker.pointee.number)
  }

  // MARK: A batch

  /// The worker that keeps the role comes by between two runnables: if it was busy for
  /// long it looks what else has come.
  @inline(never)
  func lookAround(_ worker: WorkerPointer) {
    guard worker.pointee.batch.isOver(Clock.uptime.now) else { return }
    callForRest()
    // The deputy may have taken it meanwhile.
    if takeRole(worker) {
      deliver(Engine.current.driver.look(as: worker.pointee.number), worker)
    } else {
      worker.pointee.batch = Batch()
    }
  }

  /// Nobody was called for what was delivered last: makes sure that somebody looks for what
  /// is left of it.
  private func callForRest() {
    lock.lock()
    let mayCall = shared.pointee.lookout == nil && workRemains()
    let call = mayCall ? callForWork() : .nobody
    unlock()
    place(call)
  }

  /// Whether any worker runs something. A hint.
  var othersRun: Bool { busy.load(ordering: .relaxed) > 0 }  // order: relaxed; a hint.
}
