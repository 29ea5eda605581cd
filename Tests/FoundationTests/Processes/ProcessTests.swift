import SignalboxTestSupport
import Testing

struct ProcessTests {
  @Test func theEndOfAChildIsReported() throws {
    let outcome = try ChildProgram("FoundationFacts").run(["the-end-of-a-child-is-reported"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["status"] == "3")
  }

  @Test func aThreadWaitsForAChild() throws {
    let outcome = try ChildProgram("FoundationFacts").run(["a-thread-waits-for-a-child"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["status"] == "4")
  }
}
