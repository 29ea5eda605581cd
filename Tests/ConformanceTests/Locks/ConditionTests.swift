// ConditionTests — threads that wait until something has changed.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ConditionTests {
  /// A condition with what it guards: waiting threads, and the products that they wait for.
  final class Shelf: @unchecked Sendable {
    // SAFETY: `condition` guards everything.
    let condition = NSCondition()
    var waiting = 0
    var products = 0
    var taken: [Int] = []

    /// Takes a product, and waits for one if necessary.
    func take(as number: Int) {
      condition.withLock {
        waiting += 1
        while products == 0 { condition.wait() }
        waiting -= 1
        products -= 1
        taken.append(number)
      }
    }

    /// Returns once this many threads wait: each is in the queue when this call has the lock.
    func awaitWaiters(_ count: Int) throws {
      let end = Uptime.now() + RealTime.wedge
      while condition.withLock({ waiting }) < count {
        guard Uptime.now() < end else { throw Wedge.found("threads that wait at a shelf") }
        letRealTimePass(.milliseconds(1))
      }
    }
  }

  @Test func aSignalWakesOne() throws {
    let shelf = Shelf()
    let threads = try (0..<3).map { number in try PlainThread { shelf.take(as: number) } }
    try shelf.awaitWaiters(3)
    for left in [2, 1, 0] {
      shelf.condition.withLock {
        shelf.products += 1
        shelf.condition.signal()
      }
      let end = Uptime.now() + RealTime.wedge
      while shelf.condition.withLock({ shelf.waiting }) > left && Uptime.now() < end {
        letRealTimePass(.milliseconds(1))
      }
      #expect(shelf.condition.withLock { shelf.waiting } == left)
    }
    for thread in threads { try thread.join() }
    #expect(Set(shelf.taken) == [0, 1, 2])
  }

  @Test func aSignalWakesTheThreadThatHasWaitedLongest() throws {
    let condition = NSCondition()
    let waiting = Unprotected(0)
    let log = EventLog<Int>()
    let threads = try (0..<4).map { number in
      let thread = try PlainThread {
        condition.lock()
        waiting.value += 1
        condition.wait()
        log.append(number)
        condition.unlock()
      }
      let end = Uptime.now() + RealTime.wedge
      while condition.withLock({ waiting.value }) <= number && Uptime.now() < end {
        letRealTimePass(.milliseconds(1))
      }
      return thread
    }
    condition.withLock { for _ in 0..<4 { condition.signal() } }
    for thread in threads { try thread.join() }
    #expect(log.all == [0, 1, 2, 3])
  }

  @Test(arguments: [true, false])
  func aBroadcastWakesAll(withTheLockHeld: Bool) throws {
    let shelf = Shelf()
    let threads = try (0..<6).map { number in try PlainThread { shelf.take(as: number) } }
    try shelf.awaitWaiters(6)
    shelf.condition.withLock {
      shelf.products = 6
      if withTheLockHeld { shelf.condition.broadcast() }
    }
    if !withTheLockHeld { shelf.condition.broadcast() }
    for thread in threads { try thread.join() }
    #expect(Set(shelf.taken) == Set(0..<6))
    #expect(shelf.products == 0)
  }

  @Test func aSignalWithoutTheLockWakesToo() throws {
    let shelf = Shelf()
    let thread = try PlainThread { shelf.take(as: 0) }
    try shelf.awaitWaiters(1)
    shelf.condition.withLock { shelf.products = 1 }
    shelf.condition.signal()
    try thread.join()
    #expect(shelf.taken == [0])
  }

  @Test func aSignalWithoutAWaiterIsNotKept() {
    let condition = NSCondition()
    condition.lock()
    condition.signal()
    condition.broadcast()
    #expect(!condition.wait(until: Date() + 0.01))
    condition.unlock()
  }

  @Test func waitUntilReturnsWhetherItWasSignalled() throws {
    let condition = NSCondition()
    let results = EventLog<Bool>()
    condition.lock()
    #expect(!condition.wait(until: .distantPast))
    #expect(!condition.wait(until: Date()))
    #expect(!condition.wait(until: Date() + 0.02))
    condition.unlock()
    for (number, limit) in [Date.distantFuture, Date() + 1_000].enumerated() {
      let waiting = Gate("waiting")
      let thread = try PlainThread {
        condition.lock()
        waiting.open()
        results.append(condition.wait(until: limit))
        condition.unlock()
      }
      try waiting.wait()
      condition.withLock { condition.signal() }
      try thread.join()
      #expect(results.all.count == number + 1)
    }
    #expect(results.all == [true, true])
  }

  @Test func theLockIsHeldAfterTheWaitHoweverItEnds() throws {
    let condition = NSCondition()
    condition.name = "held again"
    let log = EventLog<String>()
    condition.lock()
    _ = condition.wait(until: Date() + 0.01)
    let other = try PlainThread { condition.withLock { log.append("other") } }
    try WaitWatch.waitUntilAsleep(for: .lock, on: "\"held again\"")
    log.append("this")
    condition.unlock()
    try other.join()
    #expect(log.all == ["this", "other"])
  }

  /// A thread that waits for the lock after the signal, and a thread that times out, do not
  /// consume the wake of the signalled thread.
  @Test func noWakeGoesToALaterWaiterOrToOneThatHasTimedOut() throws {
    for _ in 0..<50 {
      let condition = NSCondition()
      let waiting = Unprotected(0)
      let log = EventLog<String>()
      condition.lock()
      let early = try PlainThread {
        condition.lock()
        waiting.value = 1
        condition.wait()
        log.append("early")
        condition.unlock()
      }
      while waiting.value == 0 { _ = condition.wait(until: Date() + 0.001) }
      // The test holds the lock, so only the first waiter has been signalled.
      condition.signal()
      let signalled = condition.wait(until: Date() + 0.002)
      #expect(!signalled)
      condition.unlock()
      try early.join()
      #expect(log.all == ["early"])
    }
  }

  @Test func theDocumentsProducerAndConsumerExchangeAllProducts() throws {
    let shelf = Shelf()
    let products = 2_000
    try runThreads(4) { number in
      for _ in 0..<products / 2 {
        if number < 2 {
          shelf.take(as: number)
        } else {
          shelf.condition.lock()
          shelf.products += 1
          shelf.condition.signal()
          shelf.condition.unlock()
        }
      }
    }
    #expect(shelf.products == 0)
    #expect(shelf.taken.count == products)
  }

  @Test func itIsNamedAndComparedByIdentity() {
    let condition = NSCondition()
    #expect(condition.name == nil)
    #expect(condition.description.hasPrefix("the NSCondition at 0x"))
    condition.name = "stock"
    #expect(condition.description == "the NSCondition \"stock\"")
    #expect(Set([condition, condition, NSCondition()]).count == 2)
  }

  // MARK: Promises beyond the documents

  /// There is no thundering herd: woken threads never wait for the lock, because each is woken
  /// when the lock is free.
  @Test func aBroadcastMakesNoThreadWaitForTheLock() throws {
    let shelf = Shelf()
    shelf.condition.name = "no herd"
    // A thread that has released the lock may fall asleep later, so the tally has every sleep.
    let tally = WaitTally(of: shelf.condition)
    let threads = try (0..<8).map { number in try PlainThread { shelf.take(as: number) } }
    try WaitWatch.waitUntilAsleep(8, for: .condition, on: "\"no herd\"")
    let onTheWayIn = tally.count(.lock)
    shelf.condition.withLock {
      shelf.products = 8
      shelf.condition.broadcast()
    }
    for thread in threads { try thread.join() }
    tally.end()
    #expect(tally.count(.lock) == onTheWayIn)
    // Each thread slept for the signal once.
    #expect(tally.count(.condition) == 8)
  }
}
