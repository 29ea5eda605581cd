// Processes that end while everything is busy.

import SignalboxTestSupport
import Testing

@Suite(.serialized) struct ProcessEndStressTests {
  /// The pool's threads run on while `exit` runs its handlers and the C library
  /// takes itself apart.
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
}
