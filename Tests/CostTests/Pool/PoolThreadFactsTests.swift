// PoolThreadFactsTests — how many threads the first item starts, and wake-ups of a process that has
// nothing to do.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test(arguments: [
    ThreadScenario.threadsAfterTheFirstAsyncOnAGlobalQueue,
    .threadsAfterTheFirstAsyncOnASerialQueue,
    .threadsAfterTheFirstAsyncOnAConcurrentQueue,
  ])
  func theFirstAsyncStartsAtMostTwoThreads(scenario: ThreadScenario) throws {
    let facts = try factsOfOneNotHeldUp(scenario)
    #expect(try facts.integer("atStart") == 1)
    #expect(try facts.integer("beforeFirstItem") == 1)
    #expect(try facts.integer("duringFirstItem") >= 2)
    #expect(try facts.integer("most") <= 1 + 2)
  }

  private func factsOfOneNotHeldUp(_ scenario: any CountedScenario) throws -> Facts {
    try factsOfOneNotHeldUp("most", atMost: 1 + 2) { try Facts(of: scenario) }
  }

  @Test func theFirstAsyncAfterStartsAtMostTwoThreads() throws {
    let facts = try factsOfOneNotHeldUp(ThreadScenario.threadsAfterTheFirstAsyncAfter)
    #expect(try facts.integer("atStart") == 1)
    #expect(try (2...3).contains(facts.integer("most")))
  }
}

/// A suite of its own, so that the other tests need not wait for its twenty seconds of sleep.
@Suite struct QuietTests {
  @Test func aProcessWithNothingToDoNeverWakes() throws {
    let facts = try Facts(of: WakeUpScenario.wakeUpsOfAnIdleProcess)
    // All of the work, except what was cancelled.
    #expect(try facts.integer("ran") == 4 + 1000 + 16 + 1 + 100)
    #expect(try facts.integer("wakeUps") == 0)
    facts.note("threads")
  }
}
