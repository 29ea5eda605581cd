// ForkedLoopFactsTests — forks beside run loops and at the first use of what the library makes
// once.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test(arguments: [RunLoopScenario.forkWithALoop, .forkWithALoopFromAnotherThread])
  func aForkedChildContinuesItsLoop(_ scenario: RunLoopScenario) throws {
    let facts = try Facts(of: scenario, environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("child") == 0)
  }

  /// The child's thread has never asked for its own loop. The parent has a main loop or none.
  @Test func aForkedChildThatRunsTheMainLoopByItsNameIsWoken() throws {
    let facts = try Facts(
      of: RunLoopScenario.forkThenRunTheMainLoopByItsName,
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("withoutALoop") == 0)
    #expect(try facts.integer("withALoop") == 0)
  }

  @Test func forksWhileLoopsAreUsedLeaveThemIntact() throws {
    let facts = try Facts(
      of: RunLoopScenario.forkWhileLoopsAreUsed, "20",
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    for round in 0..<20 { #expect(try facts.integer("child\(round)") == 0) }
  }

  /// The fork does not interrupt a thread that makes the first loop.
  @Test func forkWaitsForOneTimeInitialization() throws {
    let facts = try Facts(
      of: ForkedLoopScenario.forkWaitsForOneTimeInitialization,
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("child") == 0)
  }

  /// The fork does not interrupt a thread that makes the first queue either.
  @Test func forkDoesNotPreventCreatingTheFirstQueue() throws {
    let facts = try Facts(
      of: ForkedLoopScenario.forkWhileTheFirstQueueIsMade,
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("before") == 0)
    #expect(try facts.integer("child") == 0)
    #expect(try facts.integer("made") == 1)
  }

  @Test(arguments: [
    ForkedLoopScenario.forkWhileTheFirstLoopIsMade, .forkWhileTheFirstSourceIsMade,
    .forkWhileTheFirstTraceIsSet, .forkWhileTheFirstObjectIsLocked,
  ])
  func childrenForkedAtTheFirstUseDoNotHang(_ scenario: ForkedLoopScenario) throws {
    let facts = try Facts(of: scenario, "100", environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("well") == 100, "\(facts)")
  }
}
