// OperationFactsTests — what operations hold, cost and leave behind, counted in a process of
// its own.

import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  // MARK: Operations: threads

  @Test func operationsThatWaitHoldNoThread() throws {
    let count = 100_000
    let facts = try factsOfOneNotHeldUp("threads", atMost: 1 + 2 + 2) {
      try Facts(
        of: "threads-of-waiting-operations", "\(count)", environment: ["SIGNALBOX_WORKERS": "2"])
    }
    #expect(try facts.integer("ranWhileWaiting") == 0)
    #expect(try facts.integer("queued") == count + 1)
    // Main, one worker for each processor, the monitor and the starter.
    #expect(try facts.integer("threads") <= 1 + 2 + 2)
    #expect(try facts.integer("ran") == count)
  }

  @Test func asynchronousOperationsThatAreUnderWayHoldNoThread() throws {
    let count = 10_000
    let facts = try factsOfOneNotHeldUp("threads", atMost: 1 + 2 + 2) {
      try Facts(
        of: "threads-of-asynchronous-operations", "\(count)",
        environment: ["SIGNALBOX_WORKERS": "2"])
    }
    #expect(try facts.integer("executing") == count)
    #expect(try facts.integer("threads") <= 1 + 2 + 2)
    #expect(try facts.integer("finished") == count)
  }

  @Test func severalBlocksWaitForNobodyWhoFindsNone() throws {
    let facts = try Facts(
      of: "blocks-without-another-worker", "10", environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(try facts.integer("ran") == 30)
  }

  // MARK: Operations: bytes

  @Test(arguments: [
    ("cost-of-a-queued-block", 400),
    ("cost-of-a-queued-operation", 320),
    ("cost-of-a-queued-operation-with-a-dependency", 480),
  ])
  func aQueuedOperationCostsAFewHundredBytes(_ scenario: String, most: Double) throws {
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

  @Test(arguments: [("operations-are-freed", 2_000), ("operation-queues-are-freed", 1_000)])
  func operationsLeaveNothingBehind(_ scenario: String, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    let each = scenario == "operations-are-freed" ? 1 : 2
    #expect(try facts.integer("ran") == each * count * facts.integer("rounds"))
    // Detects a leak of one byte for each operation.
    #expect(try facts.integer("leftByTheBestRound") < count)
    #expect(try facts.integer("leftByAllRounds") <= facts.integer("threadsMayKeep"))
    facts.note("leftByAllRounds")
  }

  // MARK: Operations: great numbers

  /// Ordinary runs use a fifth of the number.
  @Test func aMillionOperationsMayBeQueued() throws {
    let count = Stress.together > .seconds(10) ? 1_000_000 : 200_000
    let facts = try Facts(of: "a-million-operations", "\(count)")
    #expect(try facts.integer("queued") == count)
    #expect(try facts.integer("ranWhileSuspended") == 0)
    #expect(try facts.integer("ran") == count)
    #expect(try facts.integer("left") == 0)
    facts.note("millisecondsToAdd")
    facts.note("millisecondsToRun")
  }

  @Test func aMillionOperationsMayBeCancelled() throws {
    let count = Stress.together > .seconds(10) ? 1_000_000 : 100_000
    let facts = try Facts(of: "a-million-operations-cancelled", "\(count)")
    #expect(try facts.integer("ran") == 0)
    #expect(try facts.integer("left") == 0)
    facts.note("milliseconds")
  }

  /// D29. Deep recursion would crash the process, and quadratic time would exceed the
  /// scenario's limit.
  @Test func aChainOfAHundredThousandIsRunAndFreedWithoutDepth() throws {
    let facts = try Facts(of: "chain-of-operations", "100000")
    #expect(try facts.integer("alive") == 0)
    facts.note("milliseconds")
  }

  /// The other ways to make and end a chain. Ordinary runs use shorter chains.
  @Test(arguments: [
    "chain-of-operations-of-width-one",
    "chain-of-operations-added-backwards", "chain-of-operations-linked-backwards",
    "chain-of-operations-linked-in-any-order",
    "chain-of-operations-of-which-each-is-queued-at-once",
    "chain-of-operations-started-by-hand", "chain-of-operations-that-is-cancelled",
    "chain-of-cancelled-operations-before-one-that-runs", "chain-of-operations-that-never-runs",
  ])
  func longChainsAreRunAndFreedWithoutDepth(_ scenario: String) throws {
    let length = Stress.together > .seconds(10) ? 100_000 : 20_000
    let facts = try Facts(of: scenario, "\(length)")
    #expect(try facts.integer("alive") == 0)
    facts.note("milliseconds")
  }
}

/// A suite of its own, so that the other tests need not wait while it sleeps.
@Suite struct QuietOperationTests {
  @Test func idleOperationQueuesNeverWake() throws {
    let facts = try Facts(of: "wake-ups-of-idle-operation-queues")
    #expect(try facts.integer("ran") == 3 * 101)
    // All operations of the suspended queue, including its barrier, and the one that waits.
    #expect(try (101...102).contains(facts.integer("waiting")))
    #expect(try facts.integer("wakeUps") == 0)
  }
}
