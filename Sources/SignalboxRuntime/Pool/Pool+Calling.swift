// Pool+Calling — who is called when there is work: the lookout, a parked worker,
// a new one; and a watcher when all places are taken.

import CSignalbox
import Synchronization

extension Pool {
  // MARK: Places

  /// Under the lock: how many workers of this tier may run now. Those above
  /// take their places first; one is always left, which the kernel lets run when
  /// nothing above wants the processor.
  var places: Int {
    guard tier != .normal else { return width }
    var free = width
    var next = upper
    while let pool = next {
      free -= pool.busy.load(ordering: .relaxed)  // order: relaxed; a hint.
      next = pool.upper
    }
    return max(1, free)
  }

  /// Under the lock: the worker takes a place.
  func countIn(_ worker: WorkerPointer) {
    if worker.pointee.isCounted { internalBug("a worker was counted in twice") }
    worker.pointee.isCounted = true
    setRunning(shared.pointee.running + 1)
  }

  /// Under the lock: the worker leaves its place to another.
  func countOut(_ worker: WorkerPointer) {
    if !worker.pointee.isCounted { internalBug("a worker was counted out twice") }
    worker.pointee.isCounted = false
    setRunning(shared.pointee.running - 1)
  }

  private func setRunning(_ running: Int) {
    shared.pointee.running = running
    busy.store(running, ordering: .relaxed)  // order: relaxed; a hint.
    updateSlotHint()
  }

  /// Under the lock: who looks out changes.
  func setLookout(_ worker: WorkerPointer?) {
    shared.pointee.lookout = worker
    shared.pointee.lookoutSleeps = false
    updateSlotHint()
  }

  /// Under the lock: `running`, `lookout` or `isWatched` has changed.
  func updateSlotHint() {
    let running = shared.pointee.running
    let places = self.places
    let mustCall =
      shared.pointee.lookout == nil && (running < places || !shared.pointee.isWatched)
    let wanted =
      (mustCall ? SlotHint.mustCall : 0) | (running > places ? SlotHint.surplus : 0)
    // order: relaxed; written under the lock only.
    if slotHint.load(ordering: .relaxed) != wanted {
      // order: sequentially consistent, PL1
      slotHint.store(wanted, ordering: .sequentiallyConsistent)
    }
  }

  // MARK: Choosing

  /// What is to be done once the lock is left.
  enum Call {
    case nobody
    /// The worker, and the number of its thread: it may be gone when it is told.
    case wake(WorkerPointer, UInt32)
    case start(Worker.Errand)
  }

  /// Under the lock: makes sure that someone is looking for work, if a worker
  /// more may run.
  func callForWork() -> Call {
    let shared = self.shared
    if let lookout = shared.pointee.lookout {
      guard shared.pointee.lookoutSleeps else { return .nobody }
      shared.pointee.lookoutSleeps = false
      rouse(lookout)
      return .wake(lookout, lookout.pointee.thread)
    }
    guard shared.pointee.running < places else { return callWatcher() }
    if let worker = takeIdle(for: .work) {
      setLookout(worker)
      return .wake(worker, worker.pointee.thread)
    }
    return mayStart ? .start(.work) : .nobody
  }

  /// Under the lock: takes a worker off the idle list, to wake it. Only one that
  /// is to work takes a place.
  func takeIdle(for errand: Worker.Errand) -> WorkerPointer? {
    guard let worker = shared.pointee.idle else { return nil }
    shared.pointee.idle = worker.pointee.nextIdle
    worker.pointee.nextIdle = nil
    worker.pointee.errand = errand
    if errand == .work { countIn(worker) }
    rouse(worker)
    return worker
  }

  /// Under the lock: the worker's word says that it is to be awake. The system
  /// call that tells the kernel follows outside the lock; when it comes late
  /// it wakes nobody, or somebody who looks at the word and sleeps on.
  func rouse(_ worker: WorkerPointer) {
    worker.pointee.word.store(WorkerWord.awake, ordering: .releasing)  // order: releasing, W2
  }

  /// Under the lock: whether there may be one worker more.
  private var mayStart: Bool {
    if shared.pointee.total < ceiling { return true }
    // Every worker waits and work is pending: the ceiling gives way, so that
    // a program that is right finishes.
    guard shared.pointee.running == 0 else { return false }
    if !shared.pointee.saidCeiling {
      shared.pointee.saidCeiling = true
      complain(
        "all \(shared.pointee.total) workers wait while work is pending; starting more. "
          + "Items that block cost a thread each: see BlockedReport.text().")
    }
    return true
  }

  /// Outside the lock: wakes or starts whom the lock's holder chose.
  func place(_ call: Call) {
    switch call {
    case .nobody: break
    case .wake(let worker, let thread):
      Probe.workerWoken(worker, thread)
      FutexSleeper.wake(Worker.wordAddress(of: worker))
      followMachine()
    case .start(let errand):
      start(errand)
      followMachine()
    }
  }

  /// Outside the lock, where somebody was just woken: whether the machine gives as
  /// much as it did, once a second at most.
  private func followMachine() {
    let before = width
    guard machine.current(at: Clock.coarseUptime) != before else { return }
    var top = self
    while let upper = top.upper { top = upper }
    var next: Pool? = top
    while let pool = next {
      // Where a lower tier's lock is held, its next change makes it known.
      _ = pool.reconsider()
      next = pool.lower
    }
  }

  /// Outside the lock: more workers may run here than before, or fewer, or work may
  /// wait for one.
  ///
  /// - Returns: false where another thread held the lock of a lower tier, for which
  ///   nobody waits.
  func reconsider() -> Bool {
    if tier == .normal { lock.lock() } else if !lock.tryLock() { return false }
    updateSlotHint()
    let call = workRemains() ? callForWork() : .nobody
    unlock()
    place(call)
    return true
  }

  /// Under the lock: whether anything waits for a worker.
  func workRemains() -> Bool {
    if !shared.pointee.lines.isEmpty { return true }
    for worker in shared.pointee.all {
      // order: sequentially consistent, PL1
      if worker.pointee.slot.load(ordering: .sequentiallyConsistent) != nil { return true }
      // order: sequentially consistent, PL1
      if worker.pointee.spare.load(ordering: .sequentiallyConsistent) != nil { return true }
    }
    return false
  }

  // MARK: Tiers

  /// Outside the lock: a place has become free here, which a lower tier may take.
  /// Where its lock is held, the holder decides anew, or its watcher will.
  func offerPlaceBelow() {
    var next = lower
    while let pool = next {
      if pool.hasPending && pool.lock.tryLock() { pool.callAgain() }
      next = pool.lower
    }
  }

  /// Under the lock, which is left.
  private func callAgain() {
    let call = shared.pointee.lines.isEmpty ? .nobody : callForWork()
    unlock()
    place(call)
  }
}
