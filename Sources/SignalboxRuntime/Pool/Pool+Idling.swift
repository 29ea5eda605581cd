// Pool+Idling — a worker without work: lookout, then poller or parked.
//
// All decisions are made under the pool's lock; what happens outside it is a
// look at a hint or a sleep.

import CSignalbox
import Synchronization

extension Pool {
  // MARK: Numbers

  /// How long a lookout spins, in nanoseconds: bridges the gap between two
  /// submissions in a row, and is short beside the two wakes (some 10 µs) that
  /// it may save.
  private static let spin: UInt64 = 1_000
  /// Spins in a row without a finding after which only every so many is tried.
  private static let vainSpins: UInt32 = 16
  /// How often a lookout looks at the slots, in nanoseconds. A runnable in a
  /// slot starts at the second look at the latest, within 100 µs; within 150 where the lookout
  /// began patiently, before the worker ran whose slot it is.
  private static let tick: UInt64 = 35_000
  /// Items shorter than this, in nanoseconds, are better run by one worker: two
  /// would spend more on taking turns at the queue.
  static let shortItem: UInt64 = 400
  /// Looks without anything happening before a lookout parks.
  private static let quietTicks = 6
  /// How long a surplus worker stays parked before it ends, in nanoseconds.
  private static let retirement: UInt64 = 5_000_000_000

  // MARK: The next runnable

  /// What `worker` is to run next; sleeps until there is something. `nil`: the
  /// worker retires.
  @inline(never)
  func next(_ worker: WorkerPointer) -> ItemPointer? {
    let isEverPatient = tier == .normal
    let began = isEverPatient ? Clock.uptime.now : 0
    defer {
      // With tight timers an item that sleeps for a microsecond never leaves its processor:
      // the sleep is over before the kernel has put the thread to sleep.
      csb_thread_loosen_timers()
      if isEverPatient {
        let now = Clock.uptime.now
        worker.hasWaited(now &- began)
        worker.noteBeginning(at: now)
      }
    }
    lock.lock()
    // By the watcher, after the last look at the notes.
    if worker.isCountedOut { takeBackCountingOut(worker) }
    // Whether it may be beyond the width for what is shut out.
    var mayBeExtra = worker.pointee.rescues != nil
    worker.pointee.rescues = nil
    while true {
      let errand = worker.pointee.errand
      if errand == .poll || errand == .deputize {
        worker.pointee.errand = .work
        if errand == .poll { poll(worker) } else if !deputize(worker) { continue }
        // What it found is this worker's own to run.
        if let item = takeOwn(worker) { return item }
        lock.lock()
        if worker.isCountedOut { takeBackCountingOut(worker) }
        mayBeExtra = true
        continue
      }
      if worker.pointee.errand == .watch {
        worker.pointee.errand = .work
        if let item = watch(worker) { return leave(worker, with: item) }
        continue
      }
      if shared.pointee.running <= places {
        if let item = popPending() { return leave(worker, with: item) }
        // To look out is for who has nothing better to do.
        if shared.pointee.lookout == worker || !mayPoll(worker), lookOut(worker) { continue }
        if let item = steal(for: worker) { return leave(worker, with: item) }
      } else if let item = popPressing(for: worker) ?? (mayBeExtra ? popShutOut(for: worker) : nil)
      {
        return leave(worker, with: item)
      }
      if shared.pointee.lookout == worker { setLookout(nil) }
      switch park(worker) {
      // Perhaps for what is shut out.
      case .woken: mayBeExtra = true
      case .polls: worker.pointee.errand = .poll
      case .retired: return nil
      }
    }
  }

  /// The lines get their turn before the worker's own slot.
  @inline(never)
  func takeFairly(_ worker: WorkerPointer) -> ItemPointer? {
    lock.lock()
    let item = popPending()
    if item != nil { appendOwn(of: worker) }
    unlock()
    // order: acquiring, W1
    return item ?? worker.pointee.slot.exchange(nil, ordering: .acquiring)
  }

  /// Under the lock, which is left: the worker stops looking out and runs
  /// `item`; if more is waiting, another looks out in its place.
  private func leave(_ worker: WorkerPointer, with item: ItemPointer) -> ItemPointer {
    if shared.pointee.lookout == worker { setLookout(nil) }
    var call = Call.nobody
    let mayCall =
      !worker.pointee.batch.keepsRole
      && (shared.pointee.running < places || !shared.pointee.isWatched)
    if shared.pointee.lookout == nil && mayCall && workRemains() { call = callForWork() }
    unlock()
    place(call)
    return item
  }

  // MARK: Looking out

  /// Under the lock, which is left and taken again: waits a little for work.
  ///
  /// - Returns: whether the lines should be looked at again; `false` if the
  ///   worker should take from a slot or park.
  private func lookOut(_ worker: WorkerPointer) -> Bool {
    if shared.pointee.lookout == nil { setLookout(worker) }
    guard shared.pointee.lookout == worker else { return false }
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

  /// Under the lock: whether to spin. Where the last spins found nothing, most
  /// are left out: whoever submits so seldom has to wake a worker in any case.
  private func spinMayPay() -> Bool {
    let vain = shared.pointee.spinsInVain
    if vain < Pool.vainSpins { return true }
    shared.pointee.spinsInVain = vain &+ 1
    return vain % Pool.vainSpins == 0
  }

  /// Whether something came while spinning.
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

  /// Under the lock, which is left and taken again: while other workers run,
  /// sees to it that nothing waits long in a slot.
  ///
  /// - Returns: as `lookOut`.
  private func tickWhileOthersRun(_ worker: WorkerPointer) -> Bool {
    var quiet = 0
    if noteSlots() == .stuck { return false }
    while shared.pointee.running > 1 {
      shared.pointee.lookoutSleeps = true
      // order: relaxed; written under the lock, as every change of the word.
      worker.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
      unlock()
      csb_thread_tighten_timers()
      _ = FutexSleeper.sleep(
        while: wordAddress(worker.pointee.word), is: WorkerWord.asleep,
        until: Deadline(.uptime, Clock.uptime.now + Pool.tick))
      lock.lock()
      let called = !shared.pointee.lookoutSleeps
      shared.pointee.lookoutSleeps = false
      if called || !shared.pointee.lines.isEmpty { return true }
      switch noteSlots() {
      case .stuck: return false
      case .moving: quiet = 0
      case .empty: quiet += 1
      }
      guard quiet == Pool.quietTicks else { continue }
      // The guard goes down, then the slots are looked at once more (PL1).
      setLookout(nil)
      guard workRemains() else { return false }
      setLookout(worker)
      quiet = 0
    }
    return !shared.pointee.lines.isEmpty
  }

  private enum SlotNews { case empty, moving, stuck }

  /// Under the lock: what the slots look like since the last look.
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

  /// Under the lock: whether the worker needs help with what it keeps for
  /// itself: it took nothing since the last look while its slot was filled, or
  /// the items it runs are long.
  ///
  /// - Returns: whether it took or ran anything.
  @discardableResult
  func look(at worker: WorkerPointer, now: UInt64) -> Bool {
    // order: relaxed; compared with the last reading only.
    let takes = worker.pointee.takes.load(ordering: .relaxed)
    // order: relaxed; as above.
    let progress = worker.pointee.progress.load(ordering: .relaxed)
    let took = takes != worker.pointee.takesSeen
    let ran = progress &- worker.pointee.progressSeen
    // order: relaxed; whoever steals exchanges it with acquire.
    let slotIsFilled = worker.pointee.slot.load(ordering: .relaxed) != nil
    // order: relaxed; as above.
    let spareIsFilled = worker.pointee.spare.load(ordering: .relaxed) != nil
    let itemsAreLong = ran &* Pool.shortItem < now &- worker.pointee.seenAt
    worker.pointee.needsHelp = (slotIsFilled && !took) || (spareIsFilled && itemsAreLong && !took)
    worker.pointee.takesSeen = takes
    worker.pointee.progressSeen = progress
    worker.pointee.seenAt = now
    return took || ran > 0
  }

  /// Under the lock: a runnable from a worker that needs help.
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

  /// Under the lock, which is left and taken again (on `.retired`: left).
  private func park(_ worker: WorkerPointer) -> Parked {
    countOut(worker)
    // With the guard lowered, the slots are looked at once more (PL1): what is
    // found there would be lost on everybody.
    if shared.pointee.lookout == nil && shared.pointee.running < places && workRemains() {
      countIn(worker)
      setLookout(worker)
      return .woken
    }
    if shared.pointee.running >= places && shared.pointee.lookout == nil
      && !shared.pointee.isWatched && workRemains()
    {
      // One too many for the work, but not for watching those who have it (I4).
      setWatched(true)
      giveUpRole(worker)
      worker.pointee.errand = .watch
      return .woken
    }
    if takeRole(worker) { return .polls }
    // The deputy has taken over what this worker kept.
    worker.pointee.batch = Batch()
    worker.pointee.nextIdle = shared.pointee.idle
    shared.pointee.idle = worker
    // order: relaxed; written under the lock, as every change of the word.
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

  /// Sleeps until woken; `false` if the worker left the pool instead.
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

  /// Takes a parked worker out of the pool, unless it is being woken or is the
  /// last one.
  private func retire(_ worker: WorkerPointer) -> Bool {
    lock.lock()
    defer { unlock() }
    guard shared.pointee.total > 1, removeIdle(worker) else { return false }
    shared.pointee.total -= 1
    shared.pointee.all.remove(worker)
    return true
  }

  /// Under the lock: whether it was on the idle list.
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
  // Copied out and in: a change in place would count as one of the whole worker.

  /// Whether to stay awake for longer than usual, as what comes next mostly comes soon: the
  /// answer of a thread outside the pool, to which this worker has handed something. Only
  /// where no other worker runs, whose slot must be looked at.
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
