// StuckReportTests — the report of a pool that cannot continue by itself.

import SignalboxTestSupport
import Testing

@Suite("The stuck report", .guarded) struct StuckReportTests {
  @Test func aPoolWhoseWorkersWaitBeforeItemsIsStuck() throws {
    let outcome = try ChildProgram("CountedFacts").run(["stuck-behind-a-semaphore"])
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

  @Test func eachSuchStateIsToldOnce() throws {
    let outcome = try ChildProgram("CountedFacts").run(["stuck-twice"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["told"] == "2")
  }

  @Test(arguments: [
    "not-stuck-without-pending-items", "not-stuck-while-a-timer-is-pending",
    "not-stuck-while-a-wait-has-a-deadline",
  ])
  func aPoolThatMayGoOnIsNotStuck(_ scenario: String) throws {
    let outcome = try ChildProgram("CountedFacts").run([scenario])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["told"] == "0")
  }
}
