// Pool+Polling — the worker that sleeps until a timer is due or a descriptor is ready, and
// its backup poller.
//
// Neither has a thread of its own. A worker takes the role (see `PollerRole`), and itself runs
// what it finds. While it sleeps, it does not count as running.

extension Pool {
  /// Calls a worker for the driver, which requests only one of each kind at a time.
  func call(_ wakeReason: Worker.WakeReason) {
    lock.lock()
    var call = Call.start(wakeReason)
    if let worker = takeIdle(for: wakeReason) { call = .wake(worker, worker.pointee.thread) }
    unlock()
    carryOut(call)
  }

  /// Makes a parked worker the poller after the system refused a thread. A worker that parks later
  /// takes the role itself.
  func callIdlePoller() {
    lock.lock()
    var call = Call.nobody
    if let idle = shared.pointee.idle, Engine.current.driver.role.take(as: idle.pointee.number),
      let worker = takeIdle(for: .poll)
    {
      call = .wake(worker, worker.pointee.thread)
    }
    unlock()
    carryOut(call)
  }

  /// Sleeps until something is due or ready, and delivers it. The worker has the poller's role.
  /// The caller holds the lock; this function releases it.
  func poll(_ worker: WorkerPointer) {
    unlock()
    offerPermitBelow()
    pollOutsideLock(worker)
  }

  private func pollOutsideLock(_ worker: WorkerPointer) {
    let found = Engine.driver._withUnsafeGuaranteedRef { $0.poll(as: worker.pointee.number) }
    lock.lock()
    countIn(worker)
    unlock()
    deliver(found, worker)
  }

  private func deliver(_ found: consuming Driver.Found, _ worker: WorkerPointer) {
    worker.pointee.batch = Batch(of: found.count, keepsRole: found.keepsRole)
    // This worker itself takes what the delivery puts into its slot, so no worker is called.
    worker.pointee.isDelivering = true
    Engine.current.driver.deliver(found)
    worker.pointee.isDelivering = false
  }

  /// Guards the poller's role. The caller holds the lock, and this releases it. If the
  /// worker does not poll, it takes the lock again.
  ///
  /// - Returns: whether the worker took the role and polled.
  func backupPoll(_ worker: WorkerPointer) -> Bool {
    unlock()
    if Engine.current.driver.backupPoll() {
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
    tier == .normal
      && Engine.driver._withUnsafeGuaranteedRef { $0.role.isOpen(to: worker.pointee.number) }
  }

  /// Takes the role if this worker may. Returns whether it did.
  func takeRole(_ worker: WorkerPointer) -> Bool {
    guard tier == .normal, Engine.current.driver.role.take(as: worker.pointee.number) else {
      return false
    }
    // Replace the batch as a whole: ThreadSanitizer would take a change in place for an
    // access to the whole worker, which other threads read.
    worker.pointee.batch.tell(Engine.current.driver.pace, Clock.uptime.now)
    worker.pointee.batch = Batch()
    return true
  }

  /// Gives up the role that this worker keeps, because it is about to wait.
  func giveUpRole(_ worker: WorkerPointer) {
    guard worker.pointee.batch.keepsRole else { return }
    worker.pointee.batch = Batch()
    Engine.current.driver.role.giveUp(worker.pointee.number)
  }

  // MARK: A batch

  /// Looks for new events between two runnables, if this worker keeps the poller's role
  /// and has been busy for a while.
  @inline(never)
  func lookAround(_ worker: WorkerPointer) {
    guard worker.pointee.batch.isOver(Clock.uptime.now) else { return }
    callForRest()
    // The backup poller may have taken the role in the meantime.
    if takeRole(worker) {
      deliver(Engine.current.driver.look(as: worker.pointee.number), worker)
    } else {
      worker.pointee.batch = Batch()
    }
  }

  /// Makes sure that a worker looks for the rest of what was delivered last, because no
  /// worker was called for it.
  private func callForRest() {
    lock.lock()
    let mayCall = shared.pointee.spinner == nil && workRemains()
    let call = mayCall ? callForWork() : .nobody
    unlock()
    carryOut(call)
  }

  /// Whether any worker runs something. A hint.
  var othersRun: Bool { busy.load() > 0 }
}
