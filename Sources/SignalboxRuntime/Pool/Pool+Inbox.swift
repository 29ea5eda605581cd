// Pool+Inbox — how a runnable comes to a pool of a lower tier.
//
// A worker of low priority may lose its processor while it holds its pool's lock, for
// as long as anything more urgent computes. A thread of normal priority must never
// wait for it. So it takes that lock only if it is free, and otherwise leaves what
// it brings in the inbox, which everybody looks into who has let go of the lock.
//
// Ordering    IB1  a submitter's exchange of the inbox's tail, then its attempt at
//                  the lock; the holder's release of the lock, then its look at
//                  the tail; all sequentially consistent: either the attempt
//                  succeeds, or the holder sees the runnable.
// Rejected    a lock with priority inheritance: it raises the holder, for which the
//             kernel needs no privileges, but costs two system calls contended.

import CSignalbox
import Synchronization

extension Pool {
  /// Lets go of the lock. In a lower tier, looks after what came meanwhile.
  @inline(__always)
  func unlock() {
    if tier == .normal { return lock.unlock() }
    lock.unlockBeforeLook()
    emptyInbox()
  }

  /// Hands over a runnable without waiting for the lock.
  @inline(never)
  func submitToInbox(_ item: ItemPointer) {
    _ = inbox.append(item)
    emptyInbox()
  }

  /// Moves what is in the inbox to the lines, unless the lock's holder will.
  @inline(never)
  func emptyInbox() {
    while inbox.mayHold() && lock.tryLock() {
      // Nothing to be seen yet: whoever is about to link it will come here.
      guard var item = inbox.first() else { return lock.unlockBeforeLook() }
      while true {
        let next = inbox.removeFirst(item)
        append(item, at: item.urgencyOfRunnable)
        guard let next else { break }
        item = next
      }
      let call = callForWork()
      lock.unlockBeforeLook()
      place(call)
    }
  }
}
