// ProcessEndStressTests — processes that end or fork while everything is busy.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.serialized) struct ProcessEndStressTests {
  /// The pool's threads keep running while `exit` runs its handlers and the C library shuts
  /// down. On a slow machine fewer turns fit into the time.
  @Test(arguments: [MachineScenario.exitFromAnItem, .exitFromMain])
  func exitIsSafeWhileWorkersRun(scenario: MachineScenario) throws {
    let end = Uptime.now() + RealTime.wedge * 3
    for turn in 0..<200 where turn < 20 || Uptime.now() < end {
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
