// ProcessEndStressTests — processes that end or fork while everything is busy.

import SignalboxTestSupport
import Testing

@Suite(.serialized) struct ProcessEndStressTests {
  /// The pool's threads keep running while `exit` runs its handlers and the C library shuts
  /// down.
  @Test(arguments: ["exit-from-an-item", "exit-from-main"])
  func exitIsSafeWhileWorkersRun(scenario: String) throws {
    let program = try ChildProgram("CountedFacts")
    for turn in 0..<200 {
      let outcome = try program.run([scenario])
      try #require(outcome.exit == .code(7), "turn \(turn): \(outcome.standardError)")
      try #require(outcome.facts["atexit"] == "ran")
      try #require(outcome.standardError == "")
    }
  }

  @Test func everyForkUnderLoadWorks() throws {
    let count = 200
    let outcome = try ChildProgram("CountedFacts").run(
      ["fork-under-load", "\(count)"], environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["well"] == "\(count)", "\(outcome.facts)")
  }
}
