// Misuse of a lock between processes.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("distributed locks used wrongly trap")
struct DistributedLockTests {
  @Test func unlockOfOneThatIsNotHeld() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let folder = try TemporaryFolder()
      NSDistributedLock(path: folder.path + "/the.lock")!.unlock()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the.lock\" was unlocked", "did not hold it", "break()")
  }

  @Test func unlockTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let folder = try TemporaryFolder()
      let lock = NSDistributedLock(path: folder.path + "/the.lock")!
      if lock.try() { lock.unlock() }
      lock.unlock()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the.lock\" was unlocked", "did not hold it")
  }

  @Test func unlockOfAnotherObjectsLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let folder = try TemporaryFolder()
      let holder = NSDistributedLock(path: folder.path + "/the.lock")!
      if holder.try() { NSDistributedLock(path: folder.path + "/the.lock")!.unlock() }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the.lock\" was unlocked", "did not hold it")
  }

  @Test func releaseWhileItIsHeld() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let folder = try TemporaryFolder()
      do {
        let lock = NSDistributedLock(path: folder.path + "/the.lock")!
        _ = lock.try()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the.lock\" was released", "held it", "unlock")
  }
}
