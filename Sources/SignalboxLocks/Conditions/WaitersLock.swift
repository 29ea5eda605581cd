// WaitersLock — the lock of a condition's queue, which a forked child initializes anew.
//
// A child has one thread. The threads that waited in the parent do not exist in the child, although
// they are in the queue. A thread that held this lock during the fork does not exist either. So the
// first use in the child empties the queue and releases the lock.
//
// Ordering    EL1, the lock's own. The renewal acquires the lock if it is free, or acts for a
//             holder that does not exist. It releases the lock at its end. So a thread that already
//             sees the new `forkCount` finds the lock held until the renewal is complete.
// Invariants  I1  no other lock is acquired while it is held.

import SignalboxRuntime

struct WaitersLock: ~Copyable {
  private let lock = EngineLock()
  /// The fork count of the process that last used this object. Written under `lock`, which orders
  /// the renewal before later uses.
  private let forkCount = SingleWriter<UInt32>(Fork.count)

  /// Runs `body` with the lock held. At the first use in a forked child it runs `startAnew` first.
  @inline(__always)
  borrowing func withLock<T>(startAnew: () -> Void, _ body: () -> T) -> T {
    if isLeftByParent { renew(startAnew) }
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// Whether this is a forked child that has not used this object yet.
  var isLeftByParent: Bool {
    Fork.hasHappened && forkCount.load() != Fork.count
  }

  @inline(never)
  private borrowing func renew(_ startAnew: () -> Void) {
    Fork.renewing.lock()
    if isLeftByParent {
      // If this fails, the holder stayed in the parent. No thread here passes the check of
      // `forkCount` yet.
      _ = lock.tryLock()
      startAnew()
      forkCount.store(Fork.count)
      lock.unlock()
    }
    Fork.renewing.unlock()
  }
}
