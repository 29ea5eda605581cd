// IdleProcessTests — D12 and D24: a process pays for what it does, not for what it did.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IdleProcessTests {
  /// D12. The toolchain wakes once a second forever.
  @Test func idleProcessMakesNoWakeUp() throws {
    let outcome = try ChildProgram.run(
      WakeUpScenario.wakeUpsOfAnIdleProcess, ["10", "10"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["wakeUps"] == "0")
  }

  /// D24. There is no thread before the first item, and at most two after it.
  @Test(arguments: [
    ThreadScenario.threadsAfterTheFirstAsyncOnAGlobalQueue,
    .threadsAfterTheFirstAsyncOnASerialQueue,
    .threadsAfterTheFirstAsyncOnAConcurrentQueue,
  ])
  func firstItemStartsOneThread(_ scenario: ThreadScenario) throws {
    // A worker that is delayed may get a backup poller.
    var most = Int.max
    for _ in 0..<10 where most > 2 {
      let outcome = try ChildProgram.run(
        scenario)
      #expect(outcome.exit == .code(0), "\(outcome.standardError)")
      #expect(outcome.facts["atStart"] == "1")
      #expect(outcome.facts["beforeFirstItem"] == "1")
      most = min(most, try #require(outcome.facts["most"].flatMap { Int($0) }))
    }
    #expect(most <= 2)
  }
}
