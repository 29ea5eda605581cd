// Pool+Slots — what a worker keeps for itself: how its slot and its helper slot are filled, how the
// worker takes from them, and how the spinning worker takes what waits too long.

import Synchronization

extension Pool {
  /// How many times in a row a worker takes from its slot before it takes from the run queue, if
  /// anything waits there.
  private static let slotRunLimit: UInt32 = 32
  /// For items shorter than this, in nanoseconds, one worker is better: two would spend
  /// more time on taking turns at the queue than they save.
  private static let shortItem: UInt64 = 400

  // MARK: Filling

  /// Puts a runnable into the worker's slot. What was there goes to the run queue.
  func submitToSlot(_ item: ItemPointer, of worker: WorkerPointer) {
    // order: sequentially consistent, PL1; also W1
    let displaced = worker.pointee.slot.exchange(item, ordering: .sequentiallyConsistent)
    if let displaced {
      let urgency = displaced.urgencyOfRunnable
      if worker.isKeeping { return lock.withLock { append(displaced, at: urgency) } }
      return submitShared(displaced, at: urgency)
    }
    if worker.pointee.isDelivering { return }
    // order: sequentially consistent, PL1
    let hint = slotHint.load(ordering: .sequentiallyConsistent)
    if hint & SlotHint.mustCall != 0 { callForSlot(worker) }
  }

  /// Offers the drain task of a concurrent queue that this thread is about to drain.
  /// Another worker may take it and help.
  package func submitForHelper(_ item: ItemPointer, at urgency: Urgency) {
    guard tier == .normal, let worker = workerOfThisThread,
      // order: relaxed; only this worker fills it.
      worker.pointee.helperSlot.load(ordering: .relaxed) == nil
    else { return submitShared(item, at: urgency) }
    // order: sequentially consistent, PL1; also W1
    worker.pointee.helperSlot.store(item, ordering: .sequentiallyConsistent)
    // order: sequentially consistent, PL1
    let hint = slotHint.load(ordering: .sequentiallyConsistent)
    if hint & SlotHint.mustCall != 0 { callForSlot(worker) }
  }

  /// Calls a worker after this one has filled one of its slots, because there is no
  /// spinning worker.
  @inline(never)
  private func callForSlot(_ worker: WorkerPointer) {
    lock.lock()
    // This records the time, so that the spinning worker later knows how long the runnable has
    // waited.
    look(at: worker, now: Clock.uptime.now)
    let call = callForWork()
    unlock()
    carryOut(call)
  }

  // MARK: Taking

  /// Takes the runnable in the worker's own slot, or else the one in its helper slot.
  func takeOwn(_ worker: WorkerPointer) -> ItemPointer? {
    guard worker.hasFilledSlot else {
      worker.pointee.slotRun = 0
      return takeFromHelperSlot(worker)
    }
    // order: relaxed; may be out of date, the decision is made under the lock.
    if slotHint.load(ordering: .relaxed) & SlotHint.surplus != 0 {
      giveAway(worker)
      return nil
    }
    if worker.pointee.slotRun >= Pool.slotRunLimit && hasPending {
      worker.pointee.slotRun = 0
      return takeFairly(worker)
    }
    // Two queues that hop to each other may keep the slot filled while nothing is pending, for as
    // long as the process lives: the count may wrap around.
    let run = worker.pointee.slotRun
    worker.pointee.slotRun = run &+ 1
    // order: acquiring, W1
    return worker.pointee.slot.exchange(nil, ordering: .acquiring)
  }

  /// Takes a runnable from the run queue before the worker's own slot.
  @inline(never)
  private func takeFairly(_ worker: WorkerPointer) -> ItemPointer? {
    lock.lock()
    let item = popPending()
    if item != nil { appendOwn(of: worker) }
    unlock()
    // order: acquiring, W1
    return item ?? worker.pointee.slot.exchange(nil, ordering: .acquiring)
  }

  private func takeFromHelperSlot(_ worker: WorkerPointer) -> ItemPointer? {
    // order: relaxed; only this worker fills it, and if the spinning worker has taken it in the
    // meantime, the exchange below returns nil.
    guard worker.pointee.helperSlot.load(ordering: .relaxed) != nil else { return nil }
    // order: relaxed; may be out of date, the decision is made under the lock.
    if hasPending || slotHint.load(ordering: .relaxed) & SlotHint.surplus != 0 {
      giveAway(worker)
      return nil
    }
    // order: acquiring, W1
    return worker.pointee.helperSlot.exchange(nil, ordering: .acquiring)
  }

  /// Moves what the worker keeps for itself to the run queue.
  func giveAway(_ worker: WorkerPointer) {
    lock.lock()
    appendOwn(of: worker)
    let call = callForWork()
    unlock()
    carryOut(call)
  }

  /// Does the same; the caller holds the lock.
  func appendOwn(of worker: WorkerPointer) {
    // order: acquiring, W1
    if let item = worker.pointee.slot.exchange(nil, ordering: .acquiring) {
      append(item, at: item.urgencyOfRunnable)
    }
    // order: acquiring, W1
    if let item = worker.pointee.helperSlot.exchange(nil, ordering: .acquiring) {
      append(item, at: item.urgencyOfRunnable)
    }
  }

  // MARK: Looking

  enum SlotNews { case empty, moving, stuck }

  /// What happened to the slots since the last check. The caller holds the lock.
  func noteSlots() -> SlotNews {
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
  /// nothing since the last check although its slot was filled, or the items that it
  /// runs are long. The caller holds the lock.
  ///
  /// - Returns: whether it took or ran anything.
  @discardableResult
  private func look(at worker: WorkerPointer, now: UInt64) -> Bool {
    let takes = worker.pointee.takes.load()
    let progress = worker.pointee.progress.load()
    let took = takes != worker.pointee.takesSeen
    let ran = progress &- worker.pointee.progressSeen
    // order: relaxed; a worker that steals exchanges it with acquire.
    let slotIsFilled = worker.pointee.slot.load(ordering: .relaxed) != nil
    // order: relaxed; see above.
    let helperSlotIsFilled = worker.pointee.helperSlot.load(ordering: .relaxed) != nil
    let itemsAreLong = ran &* Pool.shortItem < now &- worker.pointee.seenAt
    worker.pointee.needsHelp =
      (slotIsFilled && !took) || (helperSlotIsFilled && itemsAreLong && !took)
    worker.pointee.takesSeen = takes
    worker.pointee.progressSeen = progress
    worker.pointee.seenAt = now
    return took || ran > 0
  }

  /// Takes a runnable from a worker that needs help. The caller holds the lock.
  func steal(for thief: WorkerPointer) -> ItemPointer? {
    for worker in shared.pointee.all where worker != thief && worker.pointee.needsHelp {
      worker.pointee.needsHelp = false
      let item =
        // order: acquiring, W1
        worker.pointee.slot.exchange(nil, ordering: .acquiring)
        // order: acquiring, W1
        ?? worker.pointee.helperSlot.exchange(nil, ordering: .acquiring)
      guard let item else { continue }
      shared.pointee.counts.stolen += 1
      return item
    }
    return nil
  }
}
