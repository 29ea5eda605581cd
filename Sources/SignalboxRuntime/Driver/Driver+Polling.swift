// Driver+Polling — what the poller and the backup poller do in the driver; see `PollerRole`.

import CSignalbox

extension Driver {
  /// What `poll` found: timers that are due, and descriptors that are ready or gone.
  struct Found {
    var timers: [DueTimer] = []
    var ready: [DescriptorTable.Ready] = []
    var gone: [DescriptorTable.Gone] = []
    var callsBackupPoller = false
    /// Whether the poller keeps its role.
    var keepsRole = false
    /// Clocks whose kernel timers have expired.
    fileprivate var expired: [Clock] = []
    var count: Int { timers.count + ready.count + gone.count }
    var isEmpty: Bool { count == 0 }
  }

  /// Sleeps until something is due or ready, or nothing is registered any more. The caller has
  /// the role of the poller. This call gives the role up before it returns, unless `keepsRole`
  /// is true.
  func poll(as worker: UInt32 = 0) -> Found {
    var found = Found()
    var slept: UInt64?
    while true {
      lock.lock()
      collectTimers(into: &found)
      let now = kernel.now(.uptime)
      if let slept { shared.pointee.guarding.hasSlept(now.saturatingSubtract(slept)) }
      if !found.isEmpty || shared.pointee.pollerMustWork {
        leaveRole(to: worker, now, &found)
        lock.unlock()
        return found
      }
      if shared.pointee.timers.isEmpty && watches == 0 {
        endRole()
        lock.unlock()
        return found
      }
      shared.pointee.guarding.takeOff(kernel)
      let looks = shared.pointee.guarding.isTalking
      lock.unlock()
      slept = now
      sleep(into: &found, looksFirst: looks && helpers.othersRun)
    }
  }

  /// Collects what is due or ready without sleeping. The caller has the role and keeps
  /// it.
  func look(as worker: UInt32) -> Found {
    var found = Found()
    collect(into: &found) { kernel.look($0) }
    lock.lock()
    collectTimers(into: &found)
    leaveRole(to: worker, kernel.now(.uptime), &found)
    lock.unlock()
    return found
  }

  /// Leaves the role vacant or keeps it, and sets the guard. The caller holds the lock.
  private func leaveRole(to worker: UInt32, _ now: UInt64, _ found: inout Found) {
    // A worker that leaves for the run queue does not know when it will return.
    let mustWork = shared.pointee.pollerMustWork
    found.keepsRole = pace.isShort && !mustWork
    if mustWork { shared.pointee.sentToWork = .nobody }
    if found.keepsRole { role.keep(for: worker) } else { role.vacate() }
    shared.pointee.guarding.set(kernel, now)
    found.callsBackupPoller = !shared.pointee.guarding.hasBackupPoller
    shared.pointee.guarding.hasBackupPoller = true
  }

  private func sleep(into found: inout Found, looksFirst: Bool) {
    collect(into: &found) { events in
      let count = looksFirst ? lookAgain(events) : 0
      return count == 0 ? kernel.wait(events) : count
    }
  }

  private func collect(
    into found: inout Found, _ ask: (UnsafeMutableBufferPointer<KernelEvent>) -> Int
  ) {
    withUnsafeTemporaryAllocation(of: KernelEvent.self, capacity: Int(CSB_EPOLL_BATCH)) {
      let count = ask($0)
      guard count > 0 else { return }
      for event in $0[..<count] where event.isTimer {
        if let clock = event.clock { found.expired.append(clock) }
      }
      descriptors.collect(UnsafeBufferPointer(rebasing: $0[..<count]), into: &found)
    }
  }

  /// The caller holds the lock.
  private func collectTimers(into found: inout Found) {
    for clock in found.expired { shared.pointee.timers.hasExpired(clock) }
    found.expired.removeAll(keepingCapacity: true)
    shared.pointee.timers.collect(into: &found.timers, kernel)
  }

  /// Spins for a few microseconds, then looks for events. While running workers cause
  /// events, a sleep and a wake-up for each event would cost both sides more.
  private func lookAgain(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int {
    for _ in 0..<BackupPollerTimer.spins { csb_spin_hint() }
    return kernel.look(events)
  }

  /// Calls the client of each event found.
  func deliver(_ found: consuming Found) {
    if found.callsBackupPoller { helpers.callBackupPoller() }
    for due in found.timers {
      let timer = due.timer
      Probe.timerFired(timer, due.deadline)
      if let next = due.next { Probe.timerArmed(timer, next) }
      timer.pointee.function(UnsafeMutableRawPointer(timer))
    }
    for ready in found.ready { ready.client.isReady(ready.watch, ready.events) }
    for gone in found.gone { descriptors.end(gone) }
  }

  // MARK: The backup poller

  /// Sleeps until this thread must take the role, or there is nothing left to guard.
  ///
  /// - Returns: whether the caller is the poller now.
  func backupPoll() -> Bool {
    while true {
      kernel.waitForGuard()
      lock.lock()
      shared.pointee.guarding.hasGoneOff()
      let polls = role.takeOver()
      let stays = !polls && !role.isNobodys && shared.pointee.sentToWork == .nobody
      // If it polls, the worker that left the role works. A poller that must work leaves at once.
      if !polls || shared.pointee.sentToWork == .backupPoller {
        shared.pointee.sentToWork = .nobody
      }
      if !stays { shared.pointee.guarding.hasBackupPoller = false }
      lock.unlock()
      if !stays { return polls }
    }
  }

  // MARK: Refused threads

  /// The system refused to start a thread that polls. The caller then calls an idle worker, which
  /// may have parked before.
  func pollerFailed() {
    lock.lock()
    shared.pointee.sentToWork = .nobody
    role.refuse()
    shared.pointee.guarding.dismissBackupPoller(kernel)
    lock.unlock()
  }

  func backupPollerFailed() {
    lock.lock()
    shared.pointee.guarding.hasBackupPoller = false
    // If the backup poller was to return to the run queue, the poller must now, if it may.
    if shared.pointee.pollerMustWork {
      shared.pointee.timers.expireNow(kernel)
    } else {
      shared.pointee.sentToWork = .nobody
    }
    lock.unlock()
  }

  /// Makes the backup poller return to the run queue. Call it when work is pending, no worker is
  /// idle, and the system refused one more thread. Without a backup poller the poller returns, if it
  /// may leave. It leaves its role vacant, and takes it again when it has run out of work.
  func sendToWork(pollerMayLeave: Bool) {
    lock.lock()
    defer { lock.unlock() }
    if shared.pointee.guarding.hasBackupPoller {
      if shared.pointee.sentToWork != .eitherPoller {
        shared.pointee.sentToWork = pollerMayLeave ? .eitherPoller : .backupPoller
      }
      kernel.setGuard(to: 1)
    } else if pollerMayLeave && !role.isNobodys {
      shared.pointee.sentToWork = .eitherPoller
      shared.pointee.timers.expireNow(kernel)
    }
  }

  /// Calls a poller again after the system refused a thread.
  func callForRefused() {
    lock.lock()
    let isRegistered = !shared.pointee.timers.isEmpty || watches > 0
    let calls = isRegistered && callsPoller()
    lock.unlock()
    if calls || role.takeOver() { helpers.callPoller() }
  }

  /// The caller holds the lock.
  private func endRole() {
    shared.pointee.sentToWork = .nobody
    role.end()
    shared.pointee.guarding.dismissBackupPoller(kernel)
  }
}
