// NSConditionLock+Waiting — the slow paths: a thread finds the lock held or its condition wrong,
// or releases the lock while others wait for a condition. See `ValueQueue`.

import SignalboxRuntime

extension NSConditionLock {
  /// Releases the lock, and wakes a thread that waits for the current condition.
  @inline(__always)
  final func leave(_ thread: UInt32) {
    let old = state.leave()
    if old != thread { leaveSlow(old, thread) }
    if isAwaited.load() { wakeNext() }
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

  /// Acquires the lock, which another thread just held, with any condition.
  @inline(never)
  final func lockSlow(_ thread: UInt32, until deadline: Deadline) -> Bool {
    state.takeSlow(thread, until: deadline, on: resource)
  }

  /// Acquires the lock with the wanted condition.
  ///
  /// - Parameters:
  ///   - thread: the calling thread's number.
  ///   - isHeld: whether the thread holds the lock already, with another condition.
  ///   - wanted: the wanted condition.
  ///   - deadline: when to give up.
  /// - Returns: whether it acquired the lock.
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

  /// Releases the lock, waits until its condition was the wanted one, and acquires the lock
  /// again. The condition may have changed again by then.
  ///
  /// - Returns: whether it acquired the lock.
  private func waitForValue(
    _ waiter: WaiterPointer, _ thread: UInt32, until deadline: Deadline, again: Bool
  ) -> Bool {
    // Do this before the lock is released, so that the next holder can find this waiter.
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
    // The holder may have released the lock and woken no other thread, because this one was on
    // the way.
    change { $0.arrived(waiter) }
    wakeNext()
    return false
  }

  private func change<T>(_ step: (inout ValueQueue) -> T) -> T {
    waiters.withLock(startAnew: { queue = ValueQueue() }) {
      defer { isAwaited.store(queue.isAwaited) }
      return step(&queue)
    }
  }
}
