// ToolchainMainQueueTests — D36: work of the toolchain's own main queue runs on the first
// thread.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ToolchainMainQueueTests {
  @Test func itsItemsRunAlongsideOurs() throws {
    let outcome = try ChildProgram.run(
      ToolchainMainQueueScenario.toolchainMainWorkRunsWhileMainIsDrained)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["toolchainItems"] == "20")
    #expect(outcome.facts["ownItems"] == "10")
    #expect(outcome.facts["strays"] == "0")
  }

  @Test func mainActorIsServed() throws {
    let outcome = try ChildProgram.run(
      ToolchainMainQueueScenario.mainActorWorkRunsWhileMainIsDrained)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["mainActorJobs"] == "10")
    #expect(outcome.facts["strays"] == "0")
  }
}
