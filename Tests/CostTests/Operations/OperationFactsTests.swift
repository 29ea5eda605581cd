// OperationFactsTests — what operations hold, cost and leave behind, counted in a process of
// its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test func operationsThatWaitHoldNoThread() throws {
    let count = 100_000
    let facts = try factsOfOneNotHeldUp("threads", atMost: 1 + 2 + 2) {
      try Facts(
        of: OperationScenario.threadsOfWaitingOperations, "\(count)",
        environment: ["SIGNALBOX_WORKERS": "2"])
    }
    #expect(try facts.integer("ranWhileWaiting") == 0)
    #expect(try facts.integer("queued") == count + 1)
    // Main, one worker for each processor, the monitor and the starter.
    #expect(try facts.integer("threads") <= 1 + 2 + 2)
    #expect(try facts.integer("ran") == count)
  }

  @Test func executingAsynchronousOperationsHoldNoThread() throws {
    let count = 10_000
    let facts = try factsOfOneNotHeldUp("threads", atMost: 1 + 2 + 2) {
      try Facts(
        of: OperationScenario.threadsOfAsynchronousOperations, "\(count)",
        environment: ["SIGNALBOX_WORKERS": "2"])
    }
    #expect(try facts.integer("executing") == count)
    #expect(try facts.integer("threads") <= 1 + 2 + 2)
    #expect(try facts.integer("finished") == count)
  }

  @Test func noThreadWaitsForAHelperThatFindsNoBlock() throws {
    let facts = try Facts(
      of: OperationScenario.blocksWithoutAnotherWorker, "10",
      environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(try facts.integer("ran") == 30)
  }

  @Test(arguments: [
    (OperationScenario.costOfAQueuedBlock, 400),
    (OperationScenario.costOfAQueuedOperation, 320),
    (OperationScenario.costOfAQueuedOperationWithADependency, 480),
  ])
  func aQueuedOperationCostsAFewHundredBytes(_ scenario: OperationScenario, most: Double) throws {
    let count = 100_000
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("ranWhileSuspended") == 0)
    #expect(try facts.integer("ran") == count)
    #expect(try facts.number("bytesInUse") >= 48)
    #expect(try facts.number("bytesInUse") <= most)
    #expect(try facts.integer("left") <= 64 * 1024)
    facts.note("bytesInUse")
    facts.note("left")
  }

  @Test(arguments: [
    (OperationScenario.operationsAreFreed, 2_000),
    (OperationScenario.operationQueuesAreFreed, 1_000),
  ])
  func operationsLeaveNothingBehind(_ scenario: OperationScenario, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    let each = scenario == OperationScenario.operationsAreFreed ? 1 : 2
    #expect(try facts.integer("ran") == each * count * facts.integer("rounds"))
    // Detects a leak of one byte for each operation.
    #expect(try facts.integer("leftByTheBestRound") < count)
    #expect(try facts.integer("leftByAllRounds") <= facts.integer("threadsMayKeep"))
    facts.note("leftByAllRounds")
  }

  /// D29. Deep recursion would crash the process, and quadratic time would exceed the
  /// scenario's limit.
  @Test func aChainOfAHundredThousandRunsAndIsFreedWithoutRecursion() throws {
    let facts = try Facts(of: OperationChainScenario.chainOfOperations, "100000")
    #expect(try facts.integer("alive") == 0)
    facts.note("milliseconds")
  }
}

/// A suite of its own, so that the other tests need not wait while it sleeps.
@Suite struct QuietOperationTests {
  @Test func idleOperationQueuesNeverWake() throws {
    let facts = try Facts(of: OperationScenario.wakeUpsOfIdleOperationQueues)
    #expect(try facts.integer("ran") == 3 * 101)
    // All operations of the suspended queue, including its barrier, and the one that waits.
    #expect(try (101...102).contains(facts.integer("waiting")))
    #expect(try facts.integer("wakeUps") == 0)
  }
}
