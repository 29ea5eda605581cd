// Pool+Idling — a worker without work: spinning worker, then poller or parked.
//
// All decisions are made under the pool's lock. Outside it, the worker only checks a
// hint or sleeps.

import CSignalbox
import Synchronization

extension Pool {
  // MARK: Numbers

  /// How long a spinning worker spins, in nanoseconds: long enough to bridge two submissions in a
  /// row, and short compared with the two wakes (about 10 µs) that it may save.
  private static let spin: UInt64 = 1_000
  /// After this many spins in a row that found nothing, spin in only one of this many waits.
  private static let vainSpins: UInt32 = 16
  /// How often a spinning worker looks at the slots, in nanoseconds. A runnable in a slot starts
  /// at the second look at the latest, within 100 µs; or within 150 µs if the spinning worker
  /// began with a long spin before the slot's worker ran.
  private static let tick: UInt64 = 35_000
  /// For items shorter than this, in nanoseconds, one worker is better: two would spend
  /// more on taking turns at the queue.
  static let shortItem: UInt64 = 400
  /// How many looks without any change a spinning worker makes before it parks.
  private static let quietTicks = 6
  /// How long a worker stays parked before it ends, in nanoseconds. The last one stays.
  private static let retirement: UInt64 = 5_000_000_000

  // MARK: The next runnable

  /// Returns the next runnable of `worker`; sleeps until there is one. `nil`: the worker
  /// retires.
  @inline(never)
  func next(_ worker: WorkerPointer) -> ItemPointer? {
    let isEverPatient = tier == .normal
    let began = isEverPatient ? Clock.uptime.now : 0
    defer {
      // With a small timer slack an item that sleeps for a microsecond never leaves its
      // processor: the sleep ends before the kernel has put the thread to sleep.
      csb_thread_loosen_timers()
      if isEverPatient {
        let now = Clock.uptime.now
        worker.hasWaited(now &- began)
        worker.noteBeginning(at: now)
      }
    }
    lock.lock()
    // Whether the worker may run something beyond the width for a band that is shut out.
    var mayBeExtra = worker.pointee.rescues != nil
    worker.pointee.rescues = nil
    while true {
      // The monitor counted it out after the worker last read its notes, or between being
      // chosen and being awake.
      if worker.isCountedOut { takeBackCountingOut(worker) }
      let wakeReason = worker.pointee.wakeReason
      if wakeReason == .poll || wakeReason == .backupPoll {
        worker.pointee.wakeReason = .work
        if wakeReason == .poll { poll(worker) } else if !backupPoll(worker) { continue }
        // What it found belongs to this worker.
        if let item = takeOwn(worker) { return item }
        lock.lock()
        mayBeExtra = true
        continue
      }
      if worker.pointee.wakeReason == .watch {
        worker.pointee.wakeReason = .work
        if let item = watch(worker) { return leave(worker, with: item) }
        continue
      }
      if shared.pointee.running <= places {
        if let item = popPending() { return leave(worker, with: item) }
        // A worker that may poll does not become the spinning worker.
        if shared.pointee.spinner == worker || !mayPoll(worker), spinForWork(worker) { continue }
        if let item = steal(for: worker) { return leave(worker, with: item) }
      } else if let item = popPressing(for: worker) ?? (mayBeExtra ? popShutOut(for: worker) : nil)
      {
        return leave(worker, with: item)
      }
      if shared.pointee.spinner == worker { setSpinner(nil) }
      switch park(worker) {
      // It may have been woken for a band that is shut out.
      case .woken: mayBeExtra = true
      case .polls: worker.pointee.wakeReason = .poll
      case .retired: return nil
      }
    }
  }

  /// Takes a runnable from the lines before the worker's own slot.
  @inline(never)
  func takeFairly(_ worker: WorkerPointer) -> ItemPointer? {
    lock.lock()
    let item = popPending()
    if item != nil { appendOwn(of: worker) }
    unlock()
    // order: acquiring, W1
    return item ?? worker.pointee.slot.exchange(nil, ordering: .acquiring)
  }

  /// The worker stops being the spinning worker and runs `item`. If more is waiting, another
  /// worker becomes the spinning worker. The caller holds the lock, and this releases it.
  private func leave(_ worker: WorkerPointer, with item: ItemPointer) -> ItemPointer {
    if shared.pointee.spinner == worker { setSpinner(nil) }
    var call = Call.nobody
    let mayCall =
      !worker.pointee.batch.keepsRole
      && (shared.pointee.running < places || !shared.pointee.isWatched)
    if shared.pointee.spinner == nil && mayCall && workRemains() { call = callForWork() }
    unlock()
    place(call)
    return item
  }

  // MARK: The spinning worker

  /// Waits a little for work as the spinning worker. The caller holds the lock; this releases it
  /// and takes it again.
  ///
  /// - Returns: true if the worker should check the lines again; false if it should take
  ///   from a slot or park.
  private func spinForWork(_ worker: WorkerPointer) -> Bool {
    if shared.pointee.spinner == nil { setSpinner(worker) }
    guard shared.pointee.spinner == worker else { return false }
    let isPatient = tier == .normal && shared.pointee.running == 1 && worker.mayBePatient()
    if isPatient || spinMayPay() {
      unlock()
      let found = spin(for: isPatient ? AdaptiveSpin.length : Pool.spin)
      if isPatient { worker.hasBeenPatient(findingSomething: found) }
      lock.lock()
      if found || !shared.pointee.lines.isEmpty {
        shared.pointee.spinsInVain = 0
        return true
      }
      shared.pointee.spinsInVain &+= 1
    }
    return tier == .normal && tickWhileOthersRun(worker)
  }

  /// Whether to spin. After spins that found nothing, most are skipped: if submissions are that
  /// rare, each must wake a worker anyway. The caller holds the lock.
  private func spinMayPay() -> Bool {
    let vain = shared.pointee.spinsInVain
    if vain < Pool.vainSpins { return true }
    shared.pointee.spinsInVain = vain &+ 1
    return vain % Pool.vainSpins == 0
  }

  /// Spins. Returns whether something came in that time.
  private func spin(for length: UInt64) -> Bool {
    let end = Clock.uptime.now + length
    repeat {
      for _ in 0..<16 {
        if hasPending { return true }
        csb_spin_hint()
      }
    } while Clock.uptime.now < end
    return false
  }

  /// While other workers run, makes sure that nothing waits long in a slot. The caller
  /// holds the lock; this releases it and takes it again.
  ///
  /// - Returns: see `spinForWork`.
  private func tickWhileOthersRun(_ worker: WorkerPointer) -> Bool {
    var quiet = 0
    if noteSlots() == .stuck { return false }
    while shared.pointee.running > 1 {
      shared.pointee.spinnerSleeps = true
      // order: relaxed; written under the lock, like every change of the word.
      worker.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
      unlock()
      csb_thread_tighten_timers()
      _ = FutexSleeper.sleep(
        while: wordAddress(worker.pointee.word), is: WorkerWord.asleep,
        until: Deadline(.uptime, Clock.uptime.now + Pool.tick))
      lock.lock()
      let called = !shared.pointee.spinnerSleeps
      shared.pointee.spinnerSleeps = false
      if called || !shared.pointee.lines.isEmpty { return true }
      switch noteSlots() {
      case .stuck: return false
      case .moving: quiet = 0
      case .empty: quiet += 1
      }
      guard quiet == Pool.quietTicks else { continue }
      // Change the hint, then look at the slots once more (PL1).
      setSpinner(nil)
      guard workRemains() else { return false }
      setSpinner(worker)
      quiet = 0
    }
    return !shared.pointee.lines.isEmpty
  }

  private enum SlotNews { case empty, moving, stuck }

  /// What happened to the slots since the last look. The caller holds the lock.
  private func noteSlots() -> SlotNews {
    let now = Clock.uptime.now
    var news = SlotNews.empty
    for worker in shared.pointee.all {
      let moved = look(at: worker, now: now)
      if worker.pointee.needsHelp { return .stuck }
      if moved { news = .moving }
    }
    return news
  }

  /// Finds out whether the worker needs help with what it keeps for itself: it took
  /// nothing since the last look although its slot was filled, or the items that it runs
  /// are long. The caller holds the lock.
  ///
  /// - Returns: whether it took or ran anything.
  @discardableResult
  func look(at worker: WorkerPointer, now: UInt64) -> Bool {
    // order: relaxed; compared with the last reading only.
    let takes = worker.pointee.takes.load(ordering: .relaxed)
    // order: relaxed; see above.
    let progress = worker.pointee.progress.load(ordering: .relaxed)
    let took = takes != worker.pointee.takesSeen
    let ran = progress &- worker.pointee.progressSeen
    // order: relaxed; a worker that steals exchanges it with acquire.
    let slotIsFilled = worker.pointee.slot.load(ordering: .relaxed) != nil
    // order: relaxed; see above.
    let spareIsFilled = worker.pointee.spare.load(ordering: .relaxed) != nil
    let itemsAreLong = ran &* Pool.shortItem < now &- worker.pointee.seenAt
    worker.pointee.needsHelp = (slotIsFilled && !took) || (spareIsFilled && itemsAreLong && !took)
    worker.pointee.takesSeen = takes
    worker.pointee.progressSeen = progress
    worker.pointee.seenAt = now
    return took || ran > 0
  }

  /// Takes a runnable from a worker that needs help. The caller holds the lock.
  private func steal(for thief: WorkerPointer) -> ItemPointer? {
    for worker in shared.pointee.all where worker != thief && worker.pointee.needsHelp {
      worker.pointee.needsHelp = false
      // order: acquiring, W1
      if let item = worker.pointee.slot.exchange(nil, ordering: .acquiring) { return item }
      // order: acquiring, W1
      if let item = worker.pointee.spare.exchange(nil, ordering: .acquiring) { return item }
    }
    return nil
  }

  // MARK: Parking

  private enum Parked { case woken, polls, retired }

  /// Parks the worker. The caller holds the lock. This releases it, and takes it again
  /// unless it returns `.retired`.
  private func park(_ worker: WorkerPointer) -> Parked {
    countOut(worker)
    // With the hint changed, look at the slots once more (PL1). Otherwise a runnable
    // there would be lost.
    if shared.pointee.spinner == nil && shared.pointee.running < places && workRemains() {
      countIn(worker)
      setSpinner(worker)
      return .woken
    }
    if shared.pointee.running >= places && shared.pointee.spinner == nil
      && !shared.pointee.isWatched && workRemains()
    {
      // The worker is one too many for the work, but not for watching the others (I4).
      setWatched(true)
      giveUpRole(worker)
      worker.pointee.wakeReason = .watch
      return .woken
    }
    if takeRole(worker) { return .polls }
    // The backup poller has taken over the role that this worker kept.
    worker.pointee.batch = Batch()
    worker.pointee.nextIdle = shared.pointee.idle
    shared.pointee.idle = worker
    // order: relaxed; written under the lock, like every change of the word.
    worker.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
    let staysForEver = shared.pointee.total == 1
    unlock()
    Probe.worker(.workerParked, worker)
    offerPlaceBelow()
    let retired = !sleepParked(worker, mayRetire: !staysForEver)
    Probe.worker(.workerUnparked, worker)
    if retired { return .retired }
    lock.lock()
    return .woken
  }

  /// Sleeps until woken. Returns false if the worker left the pool instead.
  private func sleepParked(_ worker: WorkerPointer, mayRetire: Bool) -> Bool {
    var deadline =
      mayRetire ? Deadline(.uptime, Clock.uptime.now + Pool.retirement) : .never
    // order: acquiring, W2
    while worker.pointee.word.load(ordering: .acquiring) == WorkerWord.asleep {
      let outcome = FutexSleeper.sleep(
        while: wordAddress(worker.pointee.word), is: WorkerWord.asleep, until: deadline)
      guard outcome == .timedOut else { continue }
      if retire(worker) { return false }
      deadline = .never
    }
    return true
  }

  /// Removes a parked worker from the pool, unless it is being woken or is the last one.
  private func retire(_ worker: WorkerPointer) -> Bool {
    lock.lock()
    defer { unlock() }
    guard shared.pointee.total > 1, removeIdle(worker) else { return false }
    shared.pointee.total -= 1
    shared.pointee.all.remove(worker)
    return true
  }

  /// Removes the worker from the idle list. Returns whether it was there. The caller
  /// holds the lock.
  private func removeIdle(_ worker: WorkerPointer) -> Bool {
    if shared.pointee.idle == worker {
      shared.pointee.idle = worker.pointee.nextIdle
      return true
    }
    var next = shared.pointee.idle
    while let other = next {
      if other.pointee.nextIdle == worker {
        other.pointee.nextIdle = worker.pointee.nextIdle
        return true
      }
      next = other.pointee.nextIdle
    }
    return false
  }
}

extension WorkerPointer {
  // These copy the value out and in: ThreadSanitizer would take a change in place for a change
  // of the whole worker.

  /// Whether to spin for longer than usual because the next runnable usually comes soon:
  /// the answer of a thread outside the pool to which this worker has handed something.
  /// Call it only if no other worker runs, because the spinning worker must check that worker's
  /// slot.
  fileprivate func mayBePatient() -> Bool {
    var patience = pointee.patience
    defer { pointee.patience = patience }
    return patience.mayPay()
  }

  fileprivate func hasBeenPatient(findingSomething: Bool) {
    var patience = pointee.patience
    patience.hasSpun(findingSomething: findingSomething)
    pointee.patience = patience
  }

  fileprivate func hasWaited(_ nanoseconds: UInt64) {
    var patience = pointee.patience
    patience.hasWaited(nanoseconds)
    pointee.patience = patience
  }
}
