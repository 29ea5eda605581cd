// NSConditionLock+Waiting — what a thread does that finds the lock held or its number
// wrong, and one that leaves it while others wait for a number. See `ValueQueue`.

import SignalboxRuntime
import Synchronization

extension NSConditionLock {
  /// Leaves the lock, and wakes a thread for which the condition is as wanted now.
  @inline(__always)
  final func leave(_ thread: UInt32) {
    let old = state.leave()
    if old != thread { leaveSlow(old, thread) }
    // order: relaxed; whoever waits has joined the queue with the lock held.
    if isAwaited.load(ordering: .relaxed) { wakeNext() }
  }

  @inline(never)
  private func leaveSlow(_ old: UInt32, _ thread: UInt32) {
    let owner = old & LockState.ownerMask
    if owner != thread {
      LockMisuse.wasUnlocked(owner, by: thread, description, isLeft: true)
    }
    state.endLeaving(old)
  }

  @inline(never)
  private func wakeNext() {
    while let wake = change({ $0.wakeNext(self.current) }) {
      wake.perform()
      if !wake.isOfLowThread { return }
    }
  }

  /// Takes the lock, which another thread held a moment ago, whatever its condition.
  @inline(never)
  final func lockSlow(_ thread: UInt32, until deadline: Deadline) -> Bool {
    state.takeSlow(thread, until: deadline, on: resource)
  }

  /// Takes the lock with the right condition.
  ///
  /// - Parameters:
  ///   - thread: the calling thread's number.
  ///   - isHeld: whether that thread holds the lock, with the wrong condition.
  ///   - wanted: the right one.
  ///   - deadline: when to give up.
  /// - Returns: whether it was taken.
  @inline(never)
  final func takeSlow(
    _ thread: UInt32, isHeld: Bool, when wanted: Int, until deadline: Deadline
  ) -> Bool {
    guard isHeld || state.takeSlow(thread, until: deadline, on: resource) else { return false }
    if current == wanted { return true }
    return WaiterPointer.with(wanting: wanted) { waiter in
      var again = false
      repeat {
        guard waitForValue(waiter, thread, until: deadline, again: again) else { return false }
        again = true
      } while current != wanted
      return true
    }
  }

  /// Leaves the lock, waits until its condition was as wanted, and takes the lock again;
  /// the condition may have changed once more by then.
  ///
  /// - Returns: whether the lock was taken.
  private func waitForValue(
    _ waiter: WaiterPointer, _ thread: UInt32, until deadline: Deadline, again: Bool
  ) -> Bool {
    // Before the lock is left: whoever holds it next looks for this one.
    change { $0.add(waiter, again: again) }
    leave(thread)
    guard
      waiter.sleep(until: deadline, for: .value, on: resource)
        || change({ $0.gaveUp(waiter) })
    else { return false }
    if state.take(thread) || state.takeSlow(thread, until: deadline, on: resource) {
      change { $0.arrived(waiter) }
      return true
    }
    // Whoever held the lock may have left it, and woken nobody because this one was on
    // the way.
    change { $0.arrived(waiter) }
    wakeNext()
    return false
  }

  private func change<T>(_ step: (inout ValueQueue) -> T) -> T {
    waiters.withLock(startAnew: { queue = ValueQueue() }) {
      // order: relaxed; see Ordering in NSConditionLock.swift.
      defer { isAwaited.store(queue.isAwaited, ordering: .relaxed) }
      return step(&queue)
    }
  }
}
