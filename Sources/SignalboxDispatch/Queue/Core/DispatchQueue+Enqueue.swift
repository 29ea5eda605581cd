// DispatchQueue+Enqueue — how an item enters a queue and how the queue gets a thread: route,
// enqueue, wake.

import SignalboxRuntime

extension DispatchQueue {
  /// Appends an item. The caller keeps a reference to the queue during the call.
  @inline(__always)
  final func push(_ item: ItemPointer) {
    let asked = item.pointee.flags.urgency
    if asked.isSpecified, shape == .global, let other = globalQueue(for: asked) {
      item.pointee.flags.remove(.urgencies)
      return other.push(item)
    }
    if Fork.hasHappened { checkFork() }
    Probe.itemSubmitted(item, to: address)
    let wanted = max(base, asked).or(.standard)
    if wanted > level.floor(baseLevel) { return pushUrgent(item, at: wanted) }
    if list.append(item) && state.announce() == .schedule {
      schedule(for: item, at: wanted)
    } else if wanted == baseLevel && level.isLowered() {
      takeBackLowering()
    }
  }

  /// Appends an item that is more urgent than the queue.
  @inline(never)
  private func pushUrgent(_ item: ItemPointer, at urgency: Urgency) {
    if level.addUrgent(urgency) { item.pointee.flags.insert(.urgent) }
    if list.append(item) && state.announce() == .schedule {
      schedule(at: level.current(baseLevel))
    } else {
      scheduleUrgently()
    }
  }

  // MARK: Wake

  /// Sends the drain task of a queue that has work and no owner. `item` announced the work and may
  /// have run by now.
  @inline(__always)
  private func schedule(for item: ItemPointer, at wanted: Urgency) {
    if wanted >= baseLevel && !level.isLowered() { return schedule(at: wanted) }
    scheduleUnusually(for: item, at: wanted)
  }

  @inline(never)
  private func scheduleUnusually(for item: ItemPointer, at wanted: Urgency) {
    if wanted < baseLevel {
      level.lower(to: wanted)
      // Other items may have arrived, or `item` may be gone already.
      if !list.holdsOnly(item) { level.forgetLowered() }
    } else {
      level.forgetLowered()
    }
    schedule(at: level.current(baseLevel))
  }

  /// Restores the level of a queue that another thread lowered while an item of usual urgency
  /// arrived (QL1). An item that arrives later counts as urgent.
  @inline(never)
  private func takeBackLowering() {
    level.forgetLowered()
    scheduleUrgently()
  }

  /// Sends the queue's drain task. The caller has just set `scheduled`.
  final func schedule() { schedule(at: level.current(baseLevel)) }

  final func schedule(at urgency: Urgency) {
    if shape == .main { return MainQueueDrain.shared.wake() }
    if let target {
      target.push(ownDrainTask(at: urgency))
    } else {
      Engine.withPool(for: urgency) { $0.submit(ownDrainTask(at: urgency), at: urgency) }
    }
  }

  /// Sends a further drain task for an urgent item, because the pending one waits in a less
  /// urgent run queue. An owner, and a thread that resumes the queue, check the level themselves.
  final func scheduleUrgently() {
    let now = state.strictSnapshot
    if now.isOwned || now.isHalted || shape == .main { return }
    let urgency = level.current(baseLevel)
    guard level.shouldSchedule(at: urgency) else { return }
    let drainTask = UrgentDrainTask.make(for: self, at: urgency)
    if let target {
      target.push(drainTask)
    } else {
      Engine.withPool(for: urgency) { $0.submitShared(drainTask, at: urgency) }
    }
  }

  /// The queue's own drain task, ready to be sent. `scheduled` guarantees that no list holds it.
  private func ownDrainTask(at urgency: Urgency) -> ItemPointer {
    _ = Unmanaged.passRetained(self)  // SAFETY: the drain task's function takes the reference over.
    let item = record.drainTask.pointer
    item.pointee.flags = Item.Flags(urgency).union(.drainTask).union(.ofQueue)
    return item
  }

  /// Sends the drain task while this thread is about to run an item. Another worker may then
  /// help, if the items are worth it.
  final func scheduleHelp() {
    if target != nil || shape == .main { return schedule() }
    let urgency = level.current(baseLevel)
    Engine.withPool(for: urgency) { $0.submitForHelper(ownDrainTask(at: urgency), at: urgency) }
  }

  /// The owner yields to other queues: its drain task goes behind theirs, or to the pool of
  /// another tier.
  final func yieldThread() {
    if entry == .retargetable { endRetarget() }
    guard state.leavePending() == .schedule else { return }
    if target != nil || shape == .main { return schedule() }
    let urgency = level.current(baseLevel)
    Engine.withPool(for: urgency) { $0.submitShared(ownDrainTask(at: urgency), at: urgency) }
  }

  /// The owner leaves the queue if its list looks empty.
  ///
  /// - Returns: whether it has left. If not, it must look again.
  final func finish() -> Bool {
    guard entry == .retargetable, endRetarget() else { return state.finish() }
    leave()
    return true
  }

  /// The owner leaves the queue. The list may hold items.
  final func leave() {
    if entry == .retargetable { endRetarget() }
    if state.leavePending() == .schedule { schedule() }
  }
}
