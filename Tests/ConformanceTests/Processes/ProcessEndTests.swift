// ProcessEndTests — how a process ends in good order: threads that must finish, and a request to
// end that is granted, refused or postponed.

import Glibc
import SignalboxTestSupport
import Testing

@Suite("the end of a process", .guarded) struct ProcessEndTests {
  private func run(_ scenario: String, exit status: Int32) throws -> [String: String] {
    let outcome = try ChildProgram("CountedFacts").run([scenario])
    #expect(outcome.exit == .code(status), "\(outcome.standardError)")
    return outcome.facts
  }

  @Test func aPlainThreadDoesNotHoldTheProcess() throws {
    #expect(try run("a-plain-thread-does-not-hold-the-process", exit: 5) == ["waited": "1"])
  }

  @Test func threadsThatMustFinishAreWaitedForUntilADeadline() throws {
    let facts = try run("threads-that-must-finish-are-waited-for", exit: 0)
    #expect(facts == ["early": "0", "past": "0", "late": "1", "ended": "8", "own": "1"])
  }

  @Test func anEndThatIsGrantedWaitsForThreadsAndCallsExit() throws {
    let facts = try run("termination-is-asked-for", exit: 6)
    #expect(facts == ["first": "0", "ended": "1", "handlers": "1"])
  }

  @Test func anEndDoesNotWaitForThreadsLongerThanItIsTold() throws {
    _ = try run("termination-gives-up-on-threads", exit: 8)
  }

  /// Each of them would wait for the others, which also wait.
  @Test func threadsThatMustFinishAndAskForTheEndDoNotWaitForEachOther() throws {
    _ = try run("threads-that-must-finish-ask-for-the-end-at-once", exit: 9)
  }

  @Test func anEndIsPutOffAndAnsweredLater() throws {
    let facts = try run("termination-is-answered-later", exit: 9)
    #expect(facts["before.1"] == "1")
    #expect(facts["refused"] == "4")
  }

  @Test func anAnswerMayComeBeforeTheHandlerReturns() throws {
    #expect(try run("termination-is-answered-early", exit: 4)["first"] == "0")
  }

  @Test func theProcessGoesOnWithoutItsFirstThread() throws {
    #expect(try run("main-thread-exits", exit: 3)["name"] == "gone")
  }

  // MARK: Errors

  @Test func anErrorThatNobodyCatchesReachesTheHandler() throws {
    let facts = try run("uncaught-errors-reach-the-handler", exit: 0)
    #expect(facts == ["told": "the thread \"detached\"", "joined": "Refusal()"])
  }

  /// The documents' pattern: catch the error, tell the main thread, continue or end.
  @Test func anErrorIsCaughtAndToldToTheMainThread() throws {
    let facts = try run("catch-tell-main-go-on", exit: 0)
    #expect(facts == ["main": "no such file", "isMain": "1"])
  }
}
