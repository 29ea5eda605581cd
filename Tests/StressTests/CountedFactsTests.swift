// CountedFactsTests — facts that are counted, not timed, each in a process of its own that does
// not load `Testing`.

import SignalboxTestSupport
import Testing

@Suite(.serialized) struct CountedFactsTests {
  // MARK: Blocked items

  @Test(arguments: [
    ("blocked-items-on-a-global-queue", 64),
    ("blocked-items-on-a-concurrent-queue", 64),
    ("blocked-serial-queues", 300),
  ])
  func itemsBlockedInASemaphoreAllRun(scenario: String, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("running") == count)
    #expect(try facts.integer("finished") == count)
    // Each blocked item blocks a thread; the pool has started only a few more.
    let threads = try facts.integer("threads")
    #expect(threads > count)
    #expect(threads <= count + 8)
    facts.note("milliseconds")
  }

  /// D11, for blocking that the library does not know about.
  @Test(arguments: [
    ("items-blocked-in-read", 64),
    ("serial-queues-blocked-in-read", 64),
    ("background-items-blocked-in-read", 8),
    ("items-blocked-in-read-without-descriptors", 8),
  ])
  func itemsBlockedInReadAllRun(scenario: String, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("running") == count)
    #expect(try facts.integer("finished") == count)
    // In addition to the blocked threads: main, a monitor, a starter, and a few new threads.
    #expect(try facts.integer("threads") <= count + 8)
    facts.note("milliseconds")
  }

  /// The limit on threads is soft: a correct program finishes.
  @Test func itemsThatWaitForItemsBehindThemFinish() throws {
    let facts = try Facts(of: "items-that-wait-for-items-behind-them", "2000")
    #expect(try facts.integer("ended") == 2000)
    facts.note("milliseconds")
  }

  // MARK: Threads

  @Test(arguments: [
    "threads-after-the-first-async-on-a-global-queue",
    "threads-after-the-first-async-on-a-serial-queue",
    "threads-after-the-first-async-on-a-concurrent-queue",
  ])
  func theFirstAsyncStartsAtMostTwoThreads(scenario: String) throws {
    let facts = try factsOfOneNotHeldUp(scenario)
    #expect(try facts.integer("atStart") == 1)
    #expect(try facts.integer("beforeFirstItem") == 1)
    #expect(try facts.integer("duringFirstItem") >= 2)
    #expect(try facts.integer("most") <= 1 + 2)
  }

  /// A worker that loses its processor for half a millisecond looks busy, and the pool starts a
  /// backup poller. So the test takes one of a few processes to which that does not happen.
  private func factsOfOneNotHeldUp(_ scenario: String) throws -> Facts {
    try factsOfOneNotHeldUp("most", atMost: 1 + 2) { try Facts(of: scenario) }
  }

  func factsOfOneNotHeldUp(
    _ threads: String, atMost limit: Int, _ run: () throws -> Facts
  ) throws -> Facts {
    for _ in 0..<9 {
      let facts = try run()
      if try facts.integer(threads) <= limit { return facts }
    }
    return try run()
  }

  @Test func theFirstAsyncAfterStartsAtMostTwoThreads() throws {
    let facts = try factsOfOneNotHeldUp("threads-after-the-first-async-after")
    #expect(try facts.integer("atStart") == 1)
    #expect(try (2...3).contains(facts.integer("most")))
  }

  /// Reads wait in the kernel for the other side. The threads are main, one worker for each
  /// processor, the poller and its backup, and the monitor.
  @Test(arguments: [64, 200])
  func readsThatWaitHoldNoThread(count: Int) throws {
    let facts = try factsOfOneNotHeldUp("mostThreads", atMost: 1 + 2 + 3) {
      try Facts(
        of: "threads-of-reads-that-wait", "\(count)", environment: ["SIGNALBOX_WORKERS": "2"])
    }
    #expect(try facts.integer("mostThreads") <= 1 + 2 + 3)
    #expect(try facts.integer("wakeUps") == 0)
    #expect(try facts.integer("early") == 0)
    #expect(try facts.integer("read") == count - count / 4)
    #expect(try facts.integer("stopped") == count / 4)
    #expect(try facts.integer("wrong") == 0)
  }

  // MARK: Deadlines

  /// Programs use `.now()` to ask whether a semaphore is free; a system call would delay them
  /// by the thread's timer slack.
  @Test func waitsWhoseDeadlineHasPassedCallNotTheKernel() throws {
    let facts = try Facts(of: "system-calls-of-waits-whose-deadline-has-passed")
    #expect(try facts.integer("timedOut") == 12 * 101)
    #expect(try facts.integer("systemCalls") == 0)
  }

  // MARK: Memory

  @Test func aPendingItemCostsAtMost120Bytes() throws {
    let count = 100_000
    let facts = try Facts(of: "cost-of-a-pending-item", "\(count)")
    #expect(try facts.integer("ranWhileSuspended") == 0)
    #expect(try facts.integer("ran") == count)
    // The item's closure with one captured word has a cost too.
    #expect(try facts.number("bytesInUse") >= 32)
    #expect(try facts.number("bytesInUse") <= 120)
    // Memory from outside the allocator would show here.
    #expect(try facts.number("bytesResident") <= 120 + 8)
    facts.note("bytesInUse")
  }

  /// The scenario, how many items each object runs, and how many objects are made in a round: a
  /// hundred thousand queues in total.
  @Test(arguments: [
    ("queues-are-freed", 2, 10_000),
    ("groups-semaphores-and-items-are-freed", 2, 2000),
    ("cancelled-async-afters-are-freed", 0, 10_000),
  ])
  func objectsAreFreedToTheByte(scenario: String, items: Int, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    let rounds = try facts.integer("rounds")
    #expect(rounds >= 10)
    #expect(try facts.integer("ran") == rounds * items * count)
    // Detects a leak of one byte for each object.
    #expect(try facts.integer("leftByTheBestRound") < count)
    #expect(try facts.integer("leftByAllRounds") <= facts.integer("threadsMayKeep"))
    facts.note("leftByAllRounds")
  }

  @Test func aCancelledAsyncAfterHasFreedItsCapturesWhenCancelReturns() throws {
    let count = 1000
    let facts = try Facts(of: "captures-of-a-cancelled-async-after", "\(count)")
    #expect(try facts.integer("capturedWhilePending") == count)
    #expect(try facts.integer("heldAfterCancel") == 0)
    #expect(try facts.integer("alive") == 0)
    #expect(try facts.integer("cancelled") == count)
    #expect(try facts.integer("ran") == 0)
  }

  // MARK: System calls

  @Test func theTraceSeesASystemCall() throws {
    let facts = try Facts(of: "a-traced-system-call")
    #expect(try facts.integer("systemCalls") == 3)
  }

  @Test(arguments: [
    "submissions-to-a-busy-serial-queue",
    "submissions-to-a-busy-global-queue",
    "submissions-to-idle-queues-of-a-busy-pool",
  ])
  func submittingToABusyPoolMakesNoSystemCall(scenario: String) throws {
    let workers = 2
    // A worker that loses its processor for some milliseconds looks as if its item computed, and
    // another one is woken. So look for a process in which none lost it.
    var calls: [Int] = []
    repeat {
      let facts = try Facts(
        of: scenario, "\(workers)", environment: ["SIGNALBOX_WORKERS": "\(workers)"])
      #expect(try facts.integer("submissions") == 200)
      #expect(try facts.integer("ran") == 220)
      calls.append(try facts.integer("systemCalls"))
    } while calls.last != 0 && calls.count < 5
    #expect(calls.last == 0, "\(calls)")
  }

  @Test func locksThatNobodyWaitsForMakeNoSystemCall() throws {
    let facts = try Facts(of: "system-calls-of-locks-nobody-waits-for")
    #expect(try facts.integer("ran") == 1_002)
    #expect(try facts.integer("systemCalls") == 0, "\(facts)")
  }
}

/// A suite of its own, so that the other tests need not wait for its twenty seconds of sleep.
@Suite struct QuietTests {
  @Test func aProcessWithNothingToDoNeverWakes() throws {
    let facts = try Facts(of: "wake-ups-of-an-idle-process")
    // All of the work, except what was cancelled.
    #expect(try facts.integer("ran") == 4 + 1000 + 16 + 1 + 100)
    #expect(try facts.integer("wakeUps") == 0)
    facts.note("threads")
  }
}
