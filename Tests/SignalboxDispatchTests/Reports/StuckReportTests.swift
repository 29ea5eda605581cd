// StuckReportTests — the report of a pool that cannot continue by itself.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite("The stuck report", .guarded) struct StuckReportTests {
  @Test func aPoolWhoseWorkersWaitBeforeItemsIsStuck() throws {
    let outcome = try ChildProgram.run(
      StuckScenario.stuckBehindASemaphore)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["told"] == "1")
    #expect(outcome.facts["ended"] == "true")
    for words in [
      "the pool is stuck: 1 worker waits", "1 item waits behind it",
      "on the queue \"stuck.queue\", waits for a signal of a semaphore",
    ] {
      #expect(outcome.standardOutput.contains(words), "\(words) is not in it")
    }
  }

  @Test func eachStuckStateIsReportedOnce() throws {
    let outcome = try ChildProgram.run(
      StuckScenario.stuckTwice)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["told"] == "2")
  }

  @Test(arguments: [
    StuckScenario.notStuckWithoutPendingItems, .notStuckWhileATimerIsPending,
    .notStuckWhileAWaitHasADeadline,
  ])
  func aPoolThatMayContinueIsNotStuck(_ scenario: StuckScenario) throws {
    let outcome = try ChildProgram.run(
      scenario)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["told"] == "0")
  }
}
