// MainLoopTests — the main run loop drains the main queue. Each test runs a scenario of a
// program whose first thread runs its loop.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct MainLoopTests {
  private static func facts(_ scenario: any CountedScenario, _ arguments: String...) throws
    -> [String: String]
  {
    let outcome = try ChildProgram.run(
      scenario, arguments)
    #expect(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  @Test func itemsRunInOrderOnTheFirstThreadAndCountAsInput() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopServesTheMainQueue)
    #expect(facts["handled"] == "true")
    #expect(facts["inOrder"] == "true")
    #expect(facts["strays"] == "0")
    #expect(facts["outerFirst"] == "true")
    #expect(facts["sync"] == "42")
  }

  @Test func modeThatIsNotCommonHoldsItemsBackAndACommonOneLetsThemThrough() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopHoldsTheMainQueueBackInOtherModes)
    for name in ["nothingThere", "heldBack", "stopped", "heldBackAsleep", "letThrough", "joined"] {
      #expect(facts[name] == "true", "\(name)")
    }
  }

  @Test func itemsRunInNestedLoops() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopServesTheMainQueueInNestedRuns)
    #expect(facts["nested"] == "true", "\(facts["notes"] ?? "")")
  }

  @Test func itemsWithPastDeadlinesKeepTheirPlace() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopRunsPastDeadlinesInOrder)
    #expect(facts["notes"] == "first,second,third")
    #expect(facts["strays"] == "0")
  }

  @Test func performsOfOtherThreadsRunInOrder() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopPerformsForOtherThreads)
    for name in ["inOrder", "beforeTheRun", "afterTheRun"] {
      #expect(facts[name] == "true", "\(name)")
    }
    #expect(facts["strays"] == "0")
  }

  /// The host starts after the loop.
  @Test func loopThatHasServedTheQueueLeavesNothingForTheHost() throws {
    let facts = try Self.facts(HostedMainLoopScenario.mainLoopLeavesNothingForALaterHost)
    #expect(facts["readable"] == "0")
    #expect(facts["left"] == "true")
    #expect(facts["done"] == "11")
    #expect(facts["after"] == "false")
  }

  @Test func idleMainLoopIsNeverWoken() throws {
    #expect(try Self.facts(MainLoopScenario.wakeUpsOfAnIdleMainLoop, "3")["wakeUps"] == "0")
  }
}
