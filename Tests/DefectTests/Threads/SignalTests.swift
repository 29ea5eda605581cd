// SignalTests — D25: workers take signals like any thread of the program, and have recognizable
// names.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("Signals and names", .guarded)
struct SignalTests {
  private func facts(_ scenario: any CountedScenario) throws -> [String: String] {
    let outcome = try ChildProgram.run(
      scenario)
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  /// The toolchain's workers block nearly every signal.
  @Test func aWorkerBlocksWhatItsStarterBlocks() throws {
    let facts = try facts(MachineScenario.signalMaskOfAWorker)
    #expect(facts["starter"] == "\(1 << (SIGUSR2 - 1))")
    #expect(facts["worker"] == facts["starter"])
  }

  @Test func theDefaultActionIsTakenWhileWorkersIdle() throws {
    let outcome = try ChildProgram.run(
      MachineScenario.sigtermWhileWorkersIdle)
    #expect(outcome.exit == .signal(SIGTERM))
  }

  @Test func aHandlerOfTheProgramRunsOnAWorker() throws {
    #expect(try facts(MachineScenario.handlerOfTheProgram)["handled"] == "1")
  }

  @Test func everyThreadHasItsOwnNameAndKeepsIt() throws {
    let facts = try facts(MachineScenario.namesOfThreads)
    #expect(facts["before"] == "0")
    let names = try #require(facts["names"]).split(separator: ",")
    #expect(!names.isEmpty)
    for name in names { #expect(name.hasPrefix("sb-")) }
    #expect(facts["distinct"] == "true")
    #expect(facts["stable"] == "true")
  }

  @Test func aProgramSpawnedByAnItemStartsLikeAnyOther() throws {
    let facts = try facts(MachineScenario.spawnFromAnItem)
    #expect(facts["exit"] == "0")
    #expect(facts["childMask"] == "0")
    #expect(facts["childNice"] == facts["nice"])
  }
}
