// WaitersLock — the lock of a condition's queue, which a forked child initializes anew.
//
// A child has one thread. The threads that waited in the parent do not exist, although they are
// in the queue; nor does a thread that held this lock for a few instructions during the fork. So
// the first use in the child empties the queue and releases the lock.
//
// Ordering    EL1, the lock's own. A thread that sees in `forkCount` that the queue is this
//             process's finds the lock held until that is true: the renewal acquires the lock if
//             it is free, or acts for a holder that does not exist, and releases it at the end.
// Invariants  I1  no other lock is acquired while it is held.

import SignalboxRuntime

struct WaitersLock: ~Copyable {
  private let lock = EngineLock()
  /// The process's fork count at the last use. Written under `lock`, which orders what was done before.
  private let forkCount = SingleWriter<UInt32>(Fork.count)

  /// Runs `body` with the lock held. At the first use in a forked child it runs `startAnew`
  /// before.
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
