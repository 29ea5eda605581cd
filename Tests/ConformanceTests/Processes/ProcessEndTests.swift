// ProcessEndTests — how a process ends in good order: threads that must finish, and a request to
// end that is granted, refused or postponed.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("the end of a process", .guarded) struct ProcessEndTests {
  private func run(_ scenario: any CountedScenario, exit status: Int32) throws -> [String: String] {
    let outcome = try ChildProgram.run(
      scenario)
    #expect(outcome.exit == .code(status), "\(outcome.standardError)")
    return outcome.facts
  }

  @Test func aPlainThreadDoesNotDelayTheExitOfTheProcess() throws {
    #expect(
      try run(ProcessEndScenario.aPlainThreadDoesNotDelayTheExitOfTheProcess, exit: 5) == [
        "waited": "1"
      ])
  }

  @Test func threadsThatMustFinishAreWaitedForUntilADeadline() throws {
    let facts = try run(ProcessEndScenario.threadsThatMustFinishAreWaitedFor, exit: 0)
    #expect(facts == ["early": "0", "past": "0", "late": "1", "ended": "8", "own": "1"])
  }

  @Test func anApprovedTerminationWaitsForThreadsAndCallsExit() throws {
    let facts = try run(ProcessEndScenario.terminationIsAskedFor, exit: 6)
    #expect(facts == ["first": "0", "ended": "1", "handlers": "1"])
  }

  @Test func terminationWaitsForThreadsOnlyUntilTheDeadline() throws {
    _ = try run(ProcessEndScenario.terminationGivesUpOnThreads, exit: 8)
  }

  /// Each of them would wait for the others, which also wait.
  @Test func threadsThatMustFinishAndRequestTerminationDoNotWaitForEachOther() throws {
    _ = try run(ProcessEndScenario.threadsThatMustFinishAskForTheEndAtOnce, exit: 9)
  }

  @Test func terminationIsPostponedAndAnsweredLater() throws {
    let facts = try run(ProcessEndScenario.terminationIsAnsweredLater, exit: 9)
    #expect(facts["before.1"] == "1")
    #expect(facts["refused"] == "4")
  }

  @Test func aReplyMayArriveBeforeTheHandlerReturns() throws {
    #expect(try run(ProcessEndScenario.terminationIsAnsweredEarly, exit: 4)["first"] == "0")
  }

  @Test func theProcessContinuesWithoutItsMainThread() throws {
    #expect(try run(ThreadObjectScenario.mainThreadExits, exit: 3)["name"] == "gone")
  }

  // MARK: Errors

  @Test func anUncaughtErrorReachesTheHandler() throws {
    let facts = try run(ThreadObjectScenario.uncaughtErrorsReachTheHandler, exit: 0)
    #expect(facts == ["told": "the thread \"detached\"", "joined": "Refusal()"])
  }

  /// The documents' pattern: catch the error, report it to the main thread, continue
  /// or end.
  @Test func anErrorIsCaughtAndReportedToTheMainThread() throws {
    let facts = try run(ThreadObjectScenario.catchTellMainGoOn, exit: 0)
    #expect(facts == ["main": "no such file", "isMain": "1"])
  }
}
