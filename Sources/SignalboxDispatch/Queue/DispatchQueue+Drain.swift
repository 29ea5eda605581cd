// DispatchQueue+Drain — what the owner of a queue does: it goes through the list from the front.
//
// There are four owners, and a loop for each. A worker drains the queue. The main thread drains
// it up to an item. A thread that leaves its `sync` hands the queue on. A thread that waits in
// `sync` advances to its own place.
//
// An item that must run alone runs while the queue is held. One that may run beside others
// runs on a share: the owner first lets go of the queue and, if more is in the list, enlists
// it again, so that another worker can go on. A thread that waits in `sync` is handed the
// queue, or a share, and runs its work itself.
//
// In each loop an item may fork the process. In the child the list is empty then, and what the
// loop has read of it belongs to the parent: the loop compares `Fork.count`.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  // MARK: A worker

  /// The invitation has arrived on this thread.
  final func drainInvited() {
    let thread = csb_thread_number()
    guard state.takeInvited(thread, own: true) else { return }
    drainTaken(thread)
  }

  /// This thread, which is the owner, drains the queue.
  final func drainTaken(_ thread: UInt32) {
    QueueFrame.with(self) {
      Probe.drainBegan(address)
      Urgency.keeping { drain(thread) }
      Probe.drainEnded(address)
    }
  }

  private func drain(_ thread: UInt32) {
    if let workloop { return workloop.drainInOrder() }
    let forks = Fork.count
    var slice = TimeSlice()
    var upcoming: ItemPointer?
    while true {
      guard let item = upcoming ?? list.first() else {
        if slice.isStream, linger() { continue }
        if state.finish() { return }
        continue
      }
      upcoming = nil
      let now = state.ownersSnapshot
      if now.isHalted { return leave() }
      if runsAlone(item) {
        // While the queue is owned, shares only become fewer.
        if now.hasShared {
          if state.leaveGated() { return }
          continue
        }
        if item.pointee.flags.contains(.waiter) { return grant(item) }
        if slice.isOfAnotherTier(than: self) { return giveWay() }
        upcoming = removeFirst(item)
        slice.runs &+= 1
        run(item)
        if Fork.count != forks { upcoming = nil }
      } else {
        if now.sharedIsFull { trapFull() }
        if item.pointee.flags.contains(.waiter) {
          grantShare(item)
          continue
        }
        if slice.isOfAnotherTier(than: self) { return giveWay() }
        let more = removeFirst(item) != nil
        if state.becomeShared(more: more) == .enlist { enlistHelp() }
        run(item)
        slice.worker?.noteProgress()
        guard state.leaveShared(thread) else { return }
      }
      if slice.isOver(on: self) { return giveWay() }
    }
  }

  /// Looks a moment longer, for the producer that is about to submit the next
  /// item: letting go of the queue and being invited again costs both sides
  /// several times as much.
  private func linger() -> Bool {
    for _ in 0..<DispatchQueue.lingerLimit {
      if list.first() != nil { return true }
      csb_spin_hint()
    }
    return false
  }

  private static var lingerLimit: Int { 16 }

  // MARK: The main thread

  /// The main thread, which owns the main queue, runs what was in the list when `last` was the
  /// newest item.
  final func drain(upTo last: ItemPointer) {
    while true {
      guard let item = list.first() else {
        if state.finish() { return }
        continue
      }
      if state.ownersSnapshot.isHalted { return leave() }
      if item.pointee.flags.contains(.waiter) { return grant(item) }
      removeFirst(item)
      run(item)
      if MainQueueDrain.shared.mustLeaveAfterItem() { return leave() }
      if item == last {
        if list.first() == nil && state.finish() { return }
        return leave()
      }
    }
  }

  // MARK: A thread in `sync`

  /// This thread, which owns the queue after its own `sync`, hands it to those that come next.
  final func handOff() {
    if let workloop { return workloop.handOffInOrder() }
    while true {
      guard let item = list.first() else {
        if state.finish() { return }
        continue
      }
      let now = state.ownersSnapshot
      if now.isHalted { return leave() }
      let isWaiter = item.pointee.flags.contains(.waiter)
      if runsAlone(item) {
        if !now.hasShared { return isWaiter ? grant(item) : leave() }
        if state.leaveGated() { return }
      } else {
        if now.sharedIsFull { trapFull() }
        if !isWaiter { return leave() }
        grantShare(item)
      }
    }
  }

  /// A thread that waits in `sync` owns the queue and advances to its own place in the list,
  /// `item`. It runs only what must have ended before its own turn; what may run beside
  /// it is left to the pool.
  ///
  /// - Returns: whether its turn has come: it holds the queue, or a share. If
  ///   not, another thread will grant it.
  final func advance(_ thread: UInt32, to item: ItemPointer, alone: Bool) -> Bool {
    // The nodes of items that this thread frees are its own from now on.
    ThreadEnd.arrange()
    let hasReached = QueueFrame.withOnly(self) {
      Urgency.keeping { advance(thread, to: item) }
    }
    if !hasReached || shape == .workloop { return hasReached }
    if !alone && state.ownersSnapshot.sharedIsFull { trapFull() }
    if alone && state.ownersSnapshot.hasShared {
      // Those who share will serve it, or have just ended.
      return state.leaveGated() ? false : advance(thread, to: item, alone: true)
    }
    // Unless an item before it has forked: then the child's list has been emptied.
    let more = list.first() == item ? removeFirst(item) != nil : !list.isEmpty()
    if alone {
      if more { state.grant(to: thread, more: true) }
    } else if state.shareInstead(more: more) {
      handOff()
    }
    return true
  }

  /// - Returns: whether `own` is the first item, or has stayed with the parent of a fork. If
  ///   not, this thread does not own the queue any more.
  private func advance(_ thread: UInt32, to own: ItemPointer) -> Bool {
    if let workloop { return workloop.advanceInOrder(thread, to: own) }
    let forks = Fork.count
    while true {
      guard let item = list.first() else {
        if state.finish() { return false }
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
        } else {
          removeFirst(item)
          run(item)
          if Fork.count != forks { return true }
        }
      } else {
        if now.sharedIsFull { trapFull() }
        if !isWaiter {
          leave()
          return false
        }
        grantShare(item)
      }
    }
  }

  /// Whether this thread, about to wait in `sync`, may run the items before it.
  /// The main thread may not: an item that was submitted to run in the
  /// background must not find itself there.
  final var mayAdvance: Bool {
    !state.ownersSnapshot.isInactive && target == nil && csb_thread_is_main() == 0
  }

  // MARK: One item

  /// Whether an item runs while the queue is held, and not on a share.
  @inline(__always)
  private func runsAlone(_ item: ItemPointer) -> Bool {
    isSerial || (item.pointee.flags.contains(.barrier) && shape == .concurrent)
  }

  @inline(__always)
  final func run(_ item: ItemPointer) {
    Urgency.ofThisThread = urgencyWhileRunning(item.pointee.flags)
    Probe.itemStarted(item, on: address)
    item.pointee.function(UnsafeMutableRawPointer(item))
    Probe.itemFinished(item, on: address)
  }

  /// The owner hands the queue to the thread that waits at its front.
  private func grant(_ item: ItemPointer) {
    let more = removeFirst(item) != nil
    state.grant(to: SyncWaiter.thread(of: item), more: more)
    SyncWaiter.wake(item)
  }

  /// The owner gives a share to the thread that waits at the queue's front.
  private func grantShare(_ item: ItemPointer) {
    removeFirst(item)
    state.grantShared()
    SyncWaiter.wake(item)
  }

  private func trapFull() -> Never {
    clientBug(
      "more than 16383 items, tasks and syncs run at once on the queue \(quotedLabel), or one sync is "
        + "nested so deep: limit them with a semaphore.")
  }
}
