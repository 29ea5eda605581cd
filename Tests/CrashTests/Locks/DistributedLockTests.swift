// Misuse of a lock between processes.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("distributed locks used wrongly trap")
struct DistributedLockTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a distributed lock is unlocked that nobody holds", says: "the.lock\" was unlocked",
      "did not hold it", "break()"
    ) {
      let folder = try TemporaryFolder()
      NSDistributedLock(path: folder.path + "/the.lock")!.unlock()
    }
    Misuse(
      "a distributed lock is unlocked twice", says: "the.lock\" was unlocked", "did not hold it"
    ) {
      let folder = try TemporaryFolder()
      let lock = NSDistributedLock(path: folder.path + "/the.lock")!
      if lock.try() { lock.unlock() }
      lock.unlock()
    }
    Misuse(
      "a distributed lock is unlocked through another object", says: "the.lock\" was unlocked",
      "did not hold it"
    ) {
      let folder = try TemporaryFolder()
      let holder = NSDistributedLock(path: folder.path + "/the.lock")!
      if holder.try() { NSDistributedLock(path: folder.path + "/the.lock")!.unlock() }
    }
    Misuse(
      "a distributed lock is released while it is held", says: "the.lock\" was released", "held it",
      "unlock"
    ) {
      let folder = try TemporaryFolder()
      do {
        let lock = NSDistributedLock(path: folder.path + "/the.lock")!
        _ = lock.try()
      }
    }
  }
}
