// ConditionLockTests — a lock that a thread takes when its condition has a given value.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ConditionLockTests {
  private let empty = 0, full = 1

  @Test func itBeginsWithTheConditionItWasGiven() {
    #expect(NSConditionLock().condition == 0)
    #expect(NSConditionLock(condition: 5).condition == 5)
    #expect(NSConditionLock(condition: .min).condition == .min)
  }

  @Test func unlockKeepsTheConditionAndUnlockWithConditionSetsIt() {
    let lock = NSConditionLock(condition: 3)
    lock.lock()
    lock.unlock()
    #expect(lock.condition == 3)
    lock.lock(whenCondition: 3)
    lock.unlock(withCondition: 4)
    #expect(lock.condition == 4)
    lock.lock()
    lock.unlock(withCondition: -1)
    #expect(lock.condition == -1)
    #expect(lock.withLock { lock.condition } == -1)
  }

  @Test func triesDoNotWait() throws {
    let lock = NSConditionLock(condition: 1)
    #expect(lock.try())
    #expect(!lock.try())
    #expect(!lock.tryLock(whenCondition: 1))
    #expect(try !onPlainThread { lock.try() })
    lock.unlock()
    #expect(!lock.tryLock(whenCondition: 2))
    #expect(lock.tryLock(whenCondition: 1))
    lock.unlock(withCondition: 2)
    #expect(!lock.tryLock(whenCondition: 1))
    #expect(lock.tryLock(whenCondition: 2))
    lock.unlock()
  }

  @Test func limitsEndWaits() throws {
    let lock = NSConditionLock(condition: 1)
    // Waits for the condition:
    #expect(!lock.lock(whenCondition: 2, before: .distantPast))
    #expect(!lock.lock(whenCondition: 2, before: Date() + 0.02))
    #expect(lock.lock(whenCondition: 1, before: .distantPast))
    // Waits for the lock:
    #expect(try !onPlainThread { lock.lock(before: .distantPast) })
    #expect(try !onPlainThread { lock.lock(before: Date() + 0.02) })
    #expect(try !onPlainThread { lock.lock(whenCondition: 1, before: Date() + 0.02) })
    lock.unlock()
    #expect(lock.lock(before: .distantPast))
    lock.unlock()
  }

  @Test func aWaiterGetsTheLockWhenItsConditionIsSet() throws {
    let lock = NSConditionLock(condition: 0)
    lock.name = "steps"
    let log = EventLog<String>()
    let waiter = try PlainThread {
      lock.lock(whenCondition: 2)
      log.append("two")
      lock.unlock(withCondition: 3)
    }
    try WaitWatch.waitUntilAsleep(for: .value, on: "\"steps\"")
    lock.lock()
    lock.unlock(withCondition: 1)
    lock.lock(whenCondition: 1)
    log.append("one")
    lock.unlock(withCondition: 2)
    try waiter.join()
    #expect(log.all == ["one", "two"])
    #expect(lock.lock(whenCondition: 3, before: .distantFuture))
    lock.unlock()
  }

  @Test func onlyThreadsWhoseConditionIsSetAreWoken() throws {
    let lock = NSConditionLock(condition: 0)
    lock.name = "herd"
    let log = EventLog<Int>()
    let tally = WaitTally(of: lock)
    let threads = try (1...8).map { number in
      try PlainThread {
        lock.lock(whenCondition: number)
        log.append(number)
        lock.unlock(withCondition: number + 1)
      }
    }
    try WaitWatch.waitUntilAsleep(8, for: .value, on: "\"herd\"")
    lock.lock()
    lock.unlock(withCondition: 1)
    for thread in threads { try thread.join() }
    tally.end()
    #expect(log.all == Array(1...8))
    // Each thread slept for its value once, and for the lock only on the way there.
    #expect(tally.count(.value) == 8)
  }

  @Test func threadsThatWaitForTheSameConditionRunOneAfterAnother() throws {
    let lock = NSConditionLock(condition: 0)
    lock.name = "same"
    let inside = Occupancy()
    // A thread that has released the lock may fall asleep later, so the tally has every sleep.
    let tally = WaitTally(of: lock)
    let threads = try (0..<8).map { _ in
      try PlainThread {
        lock.lock(whenCondition: 1)
        inside.enter()
        inside.leave()
        lock.unlock()
      }
    }
    try WaitWatch.waitUntilAsleep(8, for: .value, on: "\"same\"")
    let onTheWayIn = tally.count(.lock)
    lock.lock()
    lock.unlock(withCondition: 1)
    for thread in threads { try thread.join() }
    tally.end()
    #expect(inside.entered == 8)
    #expect(inside.most == 1)
    #expect(tally.count(.lock) == onTheWayIn)
    // Each thread slept for the value once.
    #expect(tally.count(.value) == 8)
  }

  /// The document's message queue, with several producers and consumers.
  @Test func theDocumentsProducersAndConsumersExchangeAllMessages() throws {
    let lock = NSConditionLock(condition: empty)
    let (empty, full) = (empty, full)
    let messages = Unprotected<[Int]>([])
    let seen = Unprotected<[Int]>([])
    let each = 1_000
    try runThreads(4) { thread in
      for number in 0..<each {
        if thread < 2 {
          lock.lock()
          messages.value.append(thread * each + number)
          lock.unlock(withCondition: full)
        } else {
          lock.lock(whenCondition: full)
          seen.value.append(messages.value.removeFirst())
          lock.unlock(withCondition: messages.value.isEmpty ? empty : full)
        }
      }
    }
    #expect(seen.value.sorted() == Array(0..<2 * each))
    #expect(lock.condition == empty)
  }

  @Test func itIsNamedAndComparedByIdentity() {
    let lock = NSConditionLock()
    #expect(lock.name == nil)
    #expect(lock.description.hasPrefix("the NSConditionLock at 0x"))
    lock.name = "mail"
    #expect(lock.description == "the NSConditionLock \"mail\"")
    #expect(Set([lock, lock, NSConditionLock()]).count == 2)
  }
}
