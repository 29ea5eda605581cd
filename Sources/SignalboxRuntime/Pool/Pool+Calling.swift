// Pool+Calling — chooses the thread for new work: the spinning worker, a parked worker or a new
// one; and a monitor if all permits are taken.
//
// To *call* a worker is to wake it or to start it. It is chosen under the lock (`Call`), and woken
// or started after the lock is released (`carryOut`).

import CSignalbox
import Synchronization

extension Pool {
  // MARK: Permits

  /// How many workers of this tier may run now. The tiers above take their permits first.
  /// At least one permit is left. The kernel runs the worker that has it when no higher tier needs
  /// the processor. The caller holds the lock.
  var permits: Int {
    guard tier != .normal else { return width }
    var free = width
    var next = upper
    while let pool = next {
      free -= pool.busy.load()
      next = pool.upper
    }
    return max(1, free)
  }

  /// Gives the worker a permit. The caller holds the lock.
  func countIn(_ worker: WorkerPointer) {
    if worker.pointee.isCounted { internalBug("a worker that has a permit got another one") }
    worker.pointee.isCounted = true
    setRunning(shared.pointee.running + 1)
  }

  /// Takes the permit from the worker. The caller holds the lock.
  func countOut(_ worker: WorkerPointer) {
    if !worker.pointee.isCounted { internalBug("a worker without a permit gave one back") }
    worker.pointee.isCounted = false
    setRunning(shared.pointee.running - 1)
  }

  private func setRunning(_ running: Int) {
    shared.pointee.running = running
    busy.store(running)
    updateSlotHint()
  }

  /// Changes the spinning worker. The caller holds the lock.
  func setSpinner(_ worker: WorkerPointer?) {
    shared.pointee.spinner = worker
    shared.pointee.spinnerSleeps = false
    updateSlotHint()
  }

  /// Updates the hint after `running`, `spinner` or `isWatched` has changed. The caller
  /// holds the lock.
  func updateSlotHint() {
    let running = shared.pointee.running
    let permits = self.permits
    let mustCall =
      shared.pointee.spinner == nil && (running < permits || !shared.pointee.isWatched)
    let wanted =
      (mustCall ? SlotHint.mustCall : 0) | (running > permits ? SlotHint.surplus : 0)
    // order: relaxed; written only under the lock.
    if slotHint.load(ordering: .relaxed) != wanted {
      // order: sequentially consistent, PL1
      slotHint.store(wanted, ordering: .sequentiallyConsistent)
    }
  }

  // MARK: Choosing

  /// What to do after the lock is released.
  enum Call {
    case nobody
    /// The worker, and the number of its thread, because the worker may have ended by
    /// then.
    case wake(WorkerPointer, UInt32)
    case start(Worker.WakeReason)

    var isNobody: Bool {
      if case .nobody = self { return true }
      return false
    }
  }

  /// Makes sure that a worker looks for work, if one more may run. The caller holds the
  /// lock.
  func callForWork() -> Call {
    let shared = self.shared
    if let spinner = shared.pointee.spinner {
      guard shared.pointee.spinnerSleeps else { return .nobody }
      shared.pointee.spinnerSleeps = false
      rouse(spinner)
      return .wake(spinner, spinner.pointee.thread)
    }
    guard shared.pointee.running < permits else { return callMonitor() }
    if let worker = takeIdle(for: .work) {
      setSpinner(worker)
      return .wake(worker, worker.pointee.thread)
    }
    // At the ceiling, call a monitor: the workers that run may block outside `Parking`.
    return mayStart ? .start(.work) : callMonitor()
  }

  /// Takes a worker off the idle list, to wake it. Only a worker that will work takes a
  /// permit. The caller holds the lock.
  func takeIdle(for wakeReason: Worker.WakeReason) -> WorkerPointer? {
    guard let worker = shared.pointee.idle else { return nil }
    shared.pointee.idle = worker.pointee.nextIdle
    worker.pointee.nextIdle = nil
    shared.pointee.counts.parked -= 1
    worker.pointee.wakeReason = wakeReason
    if wakeReason == .work { countIn(worker) }
    rouse(worker)
    return worker
  }

  /// Sets the worker's word to `awake`. The caller holds the lock. The waking system call
  /// follows outside the lock. A wake that comes late wakes no thread, or a thread that reads its
  /// word and sleeps again.
  func rouse(_ worker: WorkerPointer) {
    worker.pointee.word.store(WorkerWord.awake, ordering: .releasing)  // order: releasing, W2
  }

  /// Whether the pool may start one more worker. The caller holds the lock.
  private var mayStart: Bool {
    if shared.pointee.total < ceiling { return true }
    // Every worker waits and work is pending: exceed the ceiling, so that a correct
    // program finishes.
    guard shared.pointee.running == 0 else { return false }
    if !shared.pointee.saidCeiling {
      shared.pointee.saidCeiling = true
      warn(
        "all \(shared.pointee.total) workers wait while work is pending; starting more. "
          + "Items that block cost a thread each: see BlockedReport.text().")
    }
    return true
  }

  /// Wakes or starts the worker that was chosen under the lock. Call it outside the lock.
  func carryOut(_ call: Call) {
    switch call {
    case .nobody: break
    case .wake(let worker, let thread):
      Probe.workerWoken(worker, thread)
      FutexSleeper.wake(Worker.wordAddress(of: worker))
      followMachine()
    case .start(let wakeReason):
      start(wakeReason)
      followMachine()
    }
  }

  /// Checks at most once a second whether the machine's width has changed. Call it
  /// outside the lock, after waking a worker.
  private func followMachine() {
    let before = width
    guard machine.current(at: Clock.coarseUptime) != before else { return }
    var top = self
    while let upper = top.upper { top = upper }
    var next: Pool? = top
    while let pool = next {
      // If the lock of a lower tier is held, its next change applies the new width.
      _ = pool.reconsider()
      next = pool.lower
    }
  }

  /// Decides again whether to call a worker, because the number of permits may have
  /// changed, or work may wait. Call it outside the lock.
  ///
  /// - Returns: false if another thread held the lock of a lower tier; this function does not
  ///   wait for such a lock.
  func reconsider() -> Bool {
    if tier == .normal { lock.lock() } else if !lock.tryLock() { return false }
    updateSlotHint()
    let call = workRemains() ? callForWork() : .nobody
    unlock()
    carryOut(call)
    return true
  }

  /// Whether anything waits for a worker. The caller holds the lock.
  func workRemains() -> Bool {
    if !shared.pointee.runQueue.isEmpty { return true }
    for worker in shared.pointee.all {
      // order: sequentially consistent, PL1
      if worker.pointee.slot.load(ordering: .sequentiallyConsistent) != nil { return true }
      // order: sequentially consistent, PL1
      if worker.pointee.helperSlot.load(ordering: .sequentiallyConsistent) != nil { return true }
    }
    return false
  }

  // MARK: Tiers

  /// Offers a permit that has become free to the tiers below. Call it outside the lock. If the
  /// lock of such a tier is held, its holder decides again, or the tier's monitor will.
  func offerPermitBelow() {
    var next = lower
    while let pool = next {
      if pool.hasPending && pool.lock.tryLock() { pool.callAgain() }
      next = pool.lower
    }
  }

  /// The caller holds the lock, and this releases it.
  private func callAgain() {
    let call = shared.pointee.runQueue.isEmpty ? .nobody : callForWork()
    unlock()
    carryOut(call)
  }
}
