// RecursiveLockTests — a lock that its holder may take again.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct RecursiveLockTests {
  @Test func theHolderTakesItAgain() throws {
    let lock = NSRecursiveLock()
    lock.lock()
    lock.lock()
    #expect(lock.try())
    #expect(lock.lock(before: .distantPast))
    for _ in 0..<3 {
      lock.unlock()
      #expect(try !onPlainThread { lock.try() })
    }
    lock.unlock()
    #expect(
      try onPlainThread {
        defer { lock.unlock() }
        return lock.try()
      })
  }

  @Test func oneThreadAtATimeHoldsIt() throws {
    let lock = NSRecursiveLock()
    let count = Unprotected(0)
    try runThreads(4) { _ in
      for _ in 0..<5_000 {
        lock.withLock { lock.withLock { count.value += 1 } }
      }
    }
    #expect(count.value == 20_000)
  }

  /// The document's recursive function.
  @Test func aFunctionMayCallItselfWithTheLockHeld() {
    let lock = NSRecursiveLock()
    let log = EventLog<Int>()
    @Sendable func countDown(from value: Int) {
      lock.lock()
      defer { lock.unlock() }
      if value == 0 { return }
      log.append(value)
      countDown(from: value - 1)
    }
    countDown(from: 5)
    #expect(log.all == [5, 4, 3, 2, 1])
  }

  @Test func aLimitEndsTheWaitOfAnotherThread() throws {
    let lock = NSRecursiveLock()
    lock.lock()
    lock.lock()
    #expect(try !onPlainThread { lock.lock(before: .distantPast) })
    #expect(try !onPlainThread { lock.lock(before: Date() + 0.02) })
    lock.unlock()
    lock.unlock()
    #expect(lock.lock(before: .distantPast))
    lock.unlock()
  }

  @Test func aWaiterGetsTheLockAfterTheLastUnlock() throws {
    let lock = NSRecursiveLock()
    lock.name = "twice"
    let log = EventLog<String>()
    lock.lock()
    lock.lock()
    let waiter = try PlainThread {
      lock.withLock { log.append("waiter") }
    }
    try WaitWatch.waitUntilAsleep(for: .lock, on: "\"twice\"")
    lock.unlock()
    letRealTimePass(RealTime.settling)
    log.append("left once")
    lock.unlock()
    try waiter.join()
    #expect(log.all == ["left once", "waiter"])
  }

  /// Apple's mutex of this kind refuses it with an error that Apple ignores.
  @Test func anUnlockByAnotherThreadDoesNothing() throws {
    let lock = NSRecursiveLock()
    lock.lock()
    try runThreads(1) { _ in lock.unlock() }
    #expect(try !onPlainThread { lock.try() })
    lock.unlock()
    lock.unlock()
    #expect(lock.try())
    lock.unlock()
  }

  @Test func itIsNamedAndComparedByIdentity() {
    let lock = NSRecursiveLock()
    #expect(lock.name == nil)
    #expect(lock.description.hasPrefix("the NSRecursiveLock at 0x"))
    lock.name = "tree"
    #expect(lock.description == "the NSRecursiveLock \"tree\"")
    #expect(Set([lock, lock, NSRecursiveLock()]).count == 2)
  }
}
