// NSLockTests — NSLock: one holder at a time, tries that do not wait, limits that hold.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite struct NSLockTests {
  @Test func oneThreadAtATimeHoldsIt() throws {
    let lock = NSLock()
    // SAFETY: used under the lock, which is what the test checks.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { _ in
      for _ in 0..<10_000 { lock.withLock { count += 1 } }
    }
    #expect(count == 40_000)
  }

  @Test func aTryTakesAFreeLockOnly() throws {
    let lock = NSLock()
    #expect(lock.try())
    #expect(!lock.try())
    #expect(try !onPlainThread { lock.try() })
    lock.unlock()
    #expect(
      try onPlainThread {
        guard lock.try() else { return false }
        lock.unlock()
        return true
      })
  }

  @Test func aLimitThatHasPassedEndsTheWaitAtOnce() throws {
    let lock = NSLock()
    lock.lock()
    #expect(try !onPlainThread { lock.lock(before: .distantPast) })
    #expect(!lock.lock(before: .distantPast))
    lock.unlock()
    #expect(lock.lock(before: .distantPast))
    lock.unlock()
  }

  @Test func anInfiniteLimitIsAPlainWait() throws {
    let lock = NSLock()
    lock.lock()
    let thread = try PlainThread {
      #expect(lock.lock(before: .distantFuture))
      lock.unlock()
    }
    lock.unlock()
    try thread.join()
  }

  @Test func aLimitEndsTheWaitWhenItPasses() throws {
    let lock = NSLock()
    lock.lock()
    #expect(try !onPlainThread { lock.lock(before: Date() + 0.02) })
    lock.unlock()
  }

  @Test func itsNameIsInItsDescription() {
    let lock = NSLock()
    #expect(lock.description.hasPrefix("the NSLock at 0x"))
    lock.name = "accounts"
    #expect(lock.name == "accounts")
    #expect(lock.description == "the NSLock \"accounts\"")
    lock.name = nil
    #expect(lock.name == nil)
  }
}
