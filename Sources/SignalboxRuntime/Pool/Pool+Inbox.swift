// Pool+Inbox — how a runnable reaches a pool of a lower tier.
//
// A worker of low priority may lose its processor while it holds the pool's lock. It then gets no
// processor as long as more urgent threads compute. A thread of normal priority must never wait for
// it. So a thread of normal priority takes that lock only if the lock is free. Otherwise it leaves
// the runnable in the inbox, and every thread that releases the lock looks there.
//
// Ordering    IB1  a submitter's exchange of the inbox's tail, then its attempt to take the lock;
//                  the holder's release of the lock, then its load of the tail; all sequentially
//                  consistent: either the attempt succeeds, or the holder sees the runnable.
// Rejected    a lock with priority inheritance: the kernel raises the holder without
//             privileges, but each contended use costs two system calls.

import CSignalbox
import Synchronization

extension Pool {
  /// Submits a runnable without waiting for the lock.
  @inline(never)
  func submitToInbox(_ item: ItemPointer) {
    _ = inbox.append(item)
    emptyInbox()
  }

  /// Moves the runnables in the inbox to the run queue, unless the lock's holder will do it.
  @inline(never)
  func emptyInbox() {
    while inbox.mayHold() && lock.tryLock() {
      // No item can be reached yet: the thread that is about to link its item will call this
      // function.
      guard var item = inbox.first() else { return lock.unlockBeforeLook() }
      while true {
        let next = inbox.removeFirst(item)
        append(item, at: item.urgencyOfRunnable)
        guard let next else { break }
        item = next
      }
      let call = callForWork()
      lock.unlockBeforeLook()
      carryOut(call)
    }
  }
}
