// DispatchQueue+Drain — how the owner of a queue goes through its list from the front.
//
// There are four kinds of owner, each with its own loop. A worker drains the queue. The main thread
// drains the main queue up to a given item. A thread at the end of its `sync` hands the queue off.
// A thread that waits in `sync` runs the items before its own.
//
// An item that must run alone runs while the queue is owned. An item that may run at the same time
// as others runs on a share: the owner first releases the queue and, if the list holds more,
// schedules it again so that another worker can continue. A thread that waits in `sync` is granted
// the queue or a share, and runs its work itself. If the queue cannot count another share, the
// owner leaves, and the thread that next gives up a share becomes the owner.
//
// An item may fork the process in any of these loops. In the child, the list is then empty, and an
// item that the loop has already read from it belongs to the parent. The loops compare `Fork.count`
// to detect this.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  // MARK: A worker

  /// Drains the queue, because its drain task has arrived on this thread.
  final func drainScheduled() {
    let thread = csb_thread_number()
    guard state.takeScheduled(thread, own: true) else { return }
    drainTaken(thread)
  }

  /// Drains the queue, because an urgent drain task has arrived on this thread.
  final func drainUrgently() {
    level.hasArrived()
    let thread = csb_thread_number()
    if state.takeScheduled(thread, own: false) { drainTaken(thread) }
  }

  /// Drains the queue, which this thread owns.
  final func drainTaken(_ thread: UInt32) {
    if entry == .retargetable && !isOnTarget { return leave() }
    QueueFrame.with(self) {
      Probe.drainBegan(address)
      Urgency.keeping { OwedLeaves.with { drain(thread, $0) } }
      Probe.drainEnded(address)
    }
  }

  private func drain(_ thread: UInt32, _ owed: OwedLeaves.Pointer) {
    if let workloop { return workloop.drainInOrder() }
    let forks = Fork.count
    var slice = TimeSlice()
    var upcoming: ItemPointer?
    while true {
      guard let item = upcoming ?? list.first() else {
        owed.leave()
        if slice.isStream, linger() { continue }
        if finish() { return }
        continue
      }
      upcoming = nil
      let now = state.ownersSnapshot
      if now.isHalted {
        owed.leave()
        return leave()
      }
      if !owed.allows(item) { owed.leave() }
      if runsAlone(item) {
        // While this thread owns the queue, other threads can only give up shares.
        if now.hasShared {
          if state.leaveGated() { return }
          continue
        }
        if item.pointee.flags.contains(.waiter) { return grant(item) }
        if slice.isOfAnotherTier(than: self) { return yieldThread(owed) }
        upcoming = takeFirst(item)
        let mayOwe = MemberItem.areOfOneGroup(item, upcoming)
        slice.runs &+= 1
        run(item) { owed.run($0, mayOwe: mayOwe) }
        if Fork.count != forks { upcoming = nil }
      } else {
        if now.isFull {
          if state.leaveFull() { return }
          continue
        }
        if item.pointee.flags.contains(.waiter) {
          grantShare(item)
          continue
        }
        if slice.isOfAnotherTier(than: self) { return yieldThread(owed) }
        let next = takeFirst(item)
        // Compare before another worker can take the next item.
        let areOfOneGroup = shape == .global && MemberItem.areOfOneGroup(item, next)
        if state.becomeShared(more: next != nil) == .schedule { scheduleHelp() }
        // Only a global queue may put off leaving the group: on any other, a later exclusive owner
        // may rely on all effects of items that have ended on a share.
        run(item) { owed.run($0, mayOwe: areOfOneGroup && list.first() == next) }
        slice.worker?.noteProgress()
        guard state.leaveShared(thread) else { return }
      }
      if slice.isOver(on: self) { return yieldThread(owed) }
    }
  }

  /// Yields to other queues. They may be more urgent, so the group is left first.
  private func yieldThread(_ owed: OwedLeaves.Pointer) {
    owed.leave()
    yieldThread()
  }

  /// Waits briefly for another item, because a producer may be about to submit one: releasing
  /// the queue and being scheduled again would cost both sides several times as much.
  private func linger() -> Bool {
    for _ in 0..<DispatchQueue.lingerLimit {
      for _ in 0..<8 { csb_spin_hint() }
      if list.first() != nil { return true }
    }
    return false
  }

  private static var lingerLimit: Int { 4 }

  // MARK: The main thread

  /// Runs the items that were in the main queue's list when `last` was the newest. The main
  /// thread calls this while it owns the queue.
  final func drain(upTo last: ItemPointer) {
    while true {
      guard let item = list.first() else {
        if state.finish() { return }
        continue
      }
      if state.ownersSnapshot.isHalted { return leave() }
      if item.pointee.flags.contains(.waiter) { return grant(item) }
      takeFirst(item)
      run(item)
      if MainQueueDrain.shared.mustLeaveAfterItem() { return leave() }
      if item == last {
        if list.first() == nil && state.finish() { return }
        return leave()
      }
    }
  }

  // MARK: A thread in `sync`

  /// Hands the queue, which this thread owns after its own `sync`, to the next waiters or
  /// workers.
  final func handOff() {
    if let workloop { return workloop.handOffInOrder() }
    while true {
      guard let item = list.first() else {
        if finish() { return }
        continue
      }
      let now = state.ownersSnapshot
      if now.isHalted { return leave() }
      let isWaiter = item.pointee.flags.contains(.waiter)
      if runsAlone(item) {
        if !now.hasShared { return isWaiter ? grant(item) : leave() }
        if state.leaveGated() { return }
      } else {
        if !isWaiter { return leave() }
        if now.isFull {
          if state.leaveFull() { return }
          continue
        }
        grantShare(item)
      }
    }
  }

  /// Runs the items that must end before the turn of `item`, the waiting thread's own. Items that
  /// may run at the same time are left to the pool. The calling thread waits in `sync` and owns the
  /// queue.
  ///
  /// - Returns: whether this thread's turn has come; it then holds the queue or a share. If not,
  ///   another thread will grant it one of them.
  final func advance(_ thread: UInt32, to item: ItemPointer, alone: Bool) -> Bool {
    // This thread will keep the nodes of the items that it frees.
    ThreadEnd.arrange()
    let hasReached = QueueFrame.withOnly(self) {
      Urgency.keeping { advance(thread, to: item) }
    }
    if !hasReached || shape == .workloop { return hasReached }
    let now = state.ownersSnapshot
    if alone ? now.hasShared : now.isFull {
      // The holders of the shares will drain the queue, or have just ended.
      let hasLeft = alone ? state.leaveGated() : state.leaveFull()
      return hasLeft ? false : advance(thread, to: item, alone: alone)
    }
    // The list does not begin with `item` if an earlier item forked: the child's list was
    // emptied.
    let more = list.first() == item ? removeWaiter(item) != nil : !list.isEmpty()
    if alone {
      if more { state.grant(to: thread, more: true) }
    } else if state.shareInstead(more: more) {
      handOff()
    }
    return true
  }

  /// - Returns: whether `own` is the first item, or stayed with the parent after a fork. If not,
  ///   this thread no longer owns the queue.
  private func advance(_ thread: UInt32, to own: ItemPointer) -> Bool {
    if let workloop { return workloop.advanceInOrder(thread, to: own) }
    let forks = Fork.count
    while true {
      guard let item = list.first() else {
        if finish() { return false }
        continue
      }
      let now = state.ownersSnapshot
      if now.isHalted {
        leave()
        return false
      }
      if item == own { return true }
      let isWaiter = item.pointee.flags.contains(.waiter)
      if runsAlone(item) {
        if now.hasShared {
          if state.leaveGated() { return false }
        } else if isWaiter {
          grant(item)
          return false
        } else if target != nil {
          // The queue got a target after this thread had decided to run the items.
          leave()
          return false
        } else {
          takeFirst(item)
          run(item)
          if Fork.count != forks { return true }
        }
      } else {
        if !isWaiter {
          leave()
          return false
        }
        if now.isFull {
          if state.leaveFull() { return false }
          continue
        }
        grantShare(item)
      }
    }
  }

  /// Whether this thread, which is about to wait in `sync`, may run the items before its own. The
  /// main thread may not: an item that was submitted to run in the background must not run there.
  final var mayAdvance: Bool {
    !state.ownersSnapshot.isInactive && target == nil && csb_thread_is_main() == 0
  }

  // MARK: One item

  /// Whether an item runs while the queue is owned, and not on a share.
  @inline(__always)
  private func runsAlone(_ item: ItemPointer) -> Bool {
    isSerial || (item.pointee.flags.contains(.barrier) && shape == .concurrent)
  }

  @inline(__always)
  final func run(_ item: ItemPointer) { run(item) { MemberItem.runAndLeave($0) } }

  @inline(__always)
  private func run(_ item: ItemPointer, by call: (ItemPointer) -> Void) {
    Urgency.ofThisThread = urgencyWhileRunning(item.pointee.flags)
    Probe.itemStarted(item, on: address)
    call(item)
    Probe.itemFinished(item, on: address)
  }

  /// Takes out the first item.
  ///
  /// - Returns: the item after it, if there is one.
  @inline(__always) @discardableResult
  private func removeFirst(_ item: ItemPointer) -> ItemPointer? {
    if item.pointee.flags.contains(.urgent) { level.removeUrgent() }
    return list.removeFirst(item)
  }

  /// Takes out the first item, which this thread, the owner, is about to run.
  ///
  /// - Returns: the item after it, if there is one.
  @inline(__always) @discardableResult
  private func takeFirst(_ item: ItemPointer) -> ItemPointer? {
    let next = removeFirst(item)
    // Count only now, so that the list and the count together never exceed what was submitted.
    list.counts.countRun()
    return next
  }

  /// Takes out the thread that waits at the front. The owner calls it.
  ///
  /// - Returns: the item after it, if there is one.
  @discardableResult
  private func removeWaiter(_ item: ItemPointer) -> ItemPointer? {
    let next = removeFirst(item)
    // Count only now, for `ListLook`.
    list.counts.countWait()
    return next
  }

  /// Hands the queue from its owner to the thread that waits at its front.
  private func grant(_ item: ItemPointer) {
    let more = removeWaiter(item) != nil
    state.grant(to: SyncWaiter.thread(of: item), more: more)
    SyncWaiter.wake(item)
  }

  /// Gives a share to the thread that waits at the queue's front. The owner calls it.
  private func grantShare(_ item: ItemPointer) {
    removeWaiter(item)
    state.grantShared()
    SyncWaiter.wake(item)
  }
}
