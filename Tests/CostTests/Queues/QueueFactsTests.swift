// QueueFactsTests — the memory that items and queues take and return, and the system calls of
// submissions, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test func aPendingItemCostsAtMost120Bytes() throws {
    let count = 100_000
    let facts = try Facts(of: QueueMemoryScenario.costOfAPendingItem, "\(count)")
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
  @Test(
    arguments: [
      (QueueMemoryScenario.queuesAreFreed, 2, 10_000),
      (QueueMemoryScenario.groupsSemaphoresAndItemsAreFreed, 2, 2000),
      (CancellationScenario.cancelledAsyncAftersAreFreed, 0, 10_000),
    ] as [(any CountedScenario, Int, Int)])
  func objectsAreFreedToTheByte(scenario: any CountedScenario, items: Int, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    let rounds = try facts.integer("rounds")
    #expect(rounds >= 10)
    #expect(try facts.integer("ran") == rounds * items * count)
    // Detects a leak of one byte for each object.
    #expect(try facts.integer("leftByTheBestRound") < count)
    #expect(try facts.integer("leftByAllRounds") <= facts.integer("threadsMayKeep"))
    facts.note("leftByAllRounds")
  }

  @Test(arguments: [
    SubmissionScenario.submissionsToABusySerialQueue,
    .submissionsToABusyGlobalQueue,
    .submissionsToIdleQueuesOfABusyPool,
  ])
  func submittingToABusyPoolMakesNoSystemCall(scenario: SubmissionScenario) throws {
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
}
