// WaitersLock — the lock of a condition's queue, which a forked child takes afresh.
//
// A child has one thread. Those that waited in the parent are not there, though the
// queue says so; nor is one that held this lock for a few instructions when the process
// forked. So the first that comes in the child empties the queue and lets go of the lock.
//
// Touching    both words: any thread, atomically.
// Ordering    EL1, the lock's own. Whoever sees in `checkedIn` that the queue is this
//             process's finds the lock held until it is: the renewal takes it where it
//             is free, or stands for a holder that is not there, and lets go at the end.
// Invariants  I1  no other lock is taken while it is held.

import SignalboxRuntime
import Synchronization

struct WaitersLock: ~Copyable {
  private let lock = EngineLock()
  /// How many forks lay behind the process when it last used this.
  private let checkedIn = Atomic<UInt32>(Fork.count)

  /// Runs `body` with the lock held; before that, `startAnew` if this is the first use
  /// in a forked child.
  @inline(__always)
  borrowing func withLock<T>(startAnew: () -> Void, _ body: () -> T) -> T {
    if isLeftByParent { renew(startAnew) }
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// Whether this is a forked child that has not used it yet.
  var isLeftByParent: Bool {
    // order: relaxed; the lock orders what was done before it was written.
    Fork.hasHappened && checkedIn.load(ordering: .relaxed) != Fork.count
  }

  @inline(never)
  private borrowing func renew(_ startAnew: () -> Void) {
    Fork.renewing.lock()
    if isLeftByParent {
      // If that fails its holder stayed in the parent: nobody here comes past the look
      // at `checkedIn` yet.
      _ = lock.tryLock()
      startAnew()
      checkedIn.store(Fork.count, ordering: .relaxed)  // order: relaxed; as above.
      lock.unlock()
    }
    Fork.renewing.unlock()
  }
}
