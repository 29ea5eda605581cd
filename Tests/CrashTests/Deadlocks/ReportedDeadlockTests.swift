// SIGNALBOX_ON_MISUSE=report: a deadlock does not end the process.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite struct ReportedDeadlockTests {
  private func run(
    _ scenario: ReportedDeadlockScenario, _ value: String?
  ) throws -> ChildProgram.Outcome {
    var environment = ["SWIFT_BACKTRACE": "enable=no"]
    environment["SIGNALBOX_ON_MISUSE"] = value
    return try ChildProgram.run(scenario, [], environment: environment)
  }

  @Test(arguments: ReportedDeadlockScenario.allCases)
  func theThreadsWaitAndTheOthersContinue(_ scenario: ReportedDeadlockScenario) throws {
    let outcome = try run(scenario, "report")
    #expect(outcome.exit == .code(0) && outcome.facts["goesOn"] == "1", "\(outcome)")
    let lines = outcome.standardError.split(separator: "\n").filter { $0.hasPrefix("SIGNALBOX: ") }
    #expect(lines.count == 1, "\(outcome)")
    #expect(!outcome.standardError.contains("BUG IN CLIENT"), "\(outcome)")
    // The others say what was called, and that the thread itself would have to end the wait.
    let function = "CountedFacts.ReportedDeadlockScenario.begin() -> () in CountedFacts"
    let hasStacks = [.reportedQueues, .reportedUnfairLock].contains(scenario)
    #expect(outcome.standardError.contains(function) == hasStacks, "\(outcome)")
  }

  @Test(arguments: ReportedDeadlockScenario.allCases, [nil, "trap", "", "log"])
  func withoutItTheProcessEnds(_ scenario: ReportedDeadlockScenario, _ value: String?) throws {
    let outcome = try run(scenario, value)
    #expect(outcome.standardError.contains("BUG IN CLIENT OF SIGNALBOX: "), "\(outcome)")
    let isTold = outcome.standardError.contains(
      "SIGNALBOX_ON_MISUSE is neither `report` nor `trap`")
    #expect(isTold == (value == "log"), "\(outcome)")
    #expect(outcome.exit != .code(0), "\(outcome)")
  }
}
