// ProcessEndStressTests — processes that end or fork while everything is busy.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.serialized) struct ProcessEndStressTests {
  /// The pool's threads keep running while `exit` runs its handlers and the C library shuts
  /// down.
  @Test(arguments: [MachineScenario.exitFromAnItem, .exitFromMain])
  func exitIsSafeWhileWorkersRun(scenario: MachineScenario) throws {
    for turn in 0..<200 {
      let outcome = try ChildProgram.run(scenario)
      try #require(outcome.exit == .code(7), "turn \(turn): \(outcome.standardError)")
      try #require(outcome.facts["atexit"] == "ran")
      try #require(outcome.standardError == "")
    }
  }

  @Test func everyForkUnderLoadWorks() throws {
    let count = 200
    let outcome = try ChildProgram.run(
      ForkScenario.forkUnderLoad, ["\(count)"], environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["well"] == "\(count)", "\(outcome.facts)")
  }
}
