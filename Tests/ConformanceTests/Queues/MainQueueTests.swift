// MainQueueTests — the main queue. Each test runs a scenario of a program whose first thread
// drains it, because the testing library owns the first thread of a test process.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct MainQueueTests {
  static func facts(of scenario: any CountedScenario) throws -> [String: String] {
    let outcome = try ChildProgram.run(
      scenario)
    #expect(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  /// Returns what the main items recorded, and checks that all ran on the first thread.
  static func notes(of scenario: any CountedScenario) throws -> [String] {
    let facts = try facts(of: scenario)
    #expect(facts["strays"] == "0")
    let notes = (facts["notes"] ?? "").split(separator: ",").map(String.init)
    #expect(facts["count"] == "\(notes.count)")
    return notes
  }

  @Test func itemsRunInOrderOnTheFirstThread() throws {
    let notes = try Self.notes(of: MainQueueScenario.mainRunsItemsInOrderOnTheFirstThread)
    #expect(notes == (0..<200).map { "\($0)" })
  }

  @Test func itemsStayPendingUntilSomethingDrainsTheQueue() throws {
    let notes = try Self.notes(of: MainQueueScenario.mainRunsNothingUntilItIsDrained)
    #expect(notes == ["before draining", "item", "from a worker"])
  }

  @Test func itemSubmittedByAMainItemStartsAfterItsEnd() throws {
    let notes = try Self.notes(of: MainQueueScenario.mainItemSubmittedByAMainItemWaitsForItsEnd)
    #expect(notes == ["outer begins", "outer ends", "second", "inner"])
  }

  @Test func syncFromAWorkerRunsOnTheMainThreadAndReturnsItsResult() throws {
    let facts = try Self.facts(of: MainQueueScenario.mainSyncFromAWorkerRunsOnTheFirstThread)
    #expect(facts["strays"] == "0")
    #expect(facts["notes"] == "sync,throws,item")
    #expect(facts["passedBack"] == "true")
    #expect(facts["error"] == "passed back")
  }

  @Test func everyFormOfSubmissionRunsOnTheFirstThread() throws {
    let notes = try Self.notes(of: MainQueueScenario.mainTakesEveryFormOfSubmission)
    #expect(
      notes == [
        "async", "barrier", "background", "item", "group", "group item", "told", "after",
        "after wall", "performed", "item told",
      ])
  }

  @Test func orderOfEachProducerIsKept() throws {
    let facts = try Self.facts(of: MainQueueScenario.mainKeepsTheOrderOfEachOfSeveralProducers)
    #expect(facts["count"] == "1000")
    #expect(facts["strays"] == "0")
    for producer in 0..<4 { #expect(facts["producer\(producer)"] == "true") }
  }

  @Test func everyHopWakesTheMainQueue() throws {
    let facts = try Self.facts(of: MainQueueScenario.mainWakesForEachOfManyHops)
    #expect(facts["count"] == "501")
    #expect(facts["strays"] == "0")
  }

  @Test func suspendAndResumeLoseNothing() throws {
    // The documentation says that this has no effect on the main queue; Apple's may wait.
    #expect(
      try Self.notes(of: MainQueueScenario.mainLosesNothingBySuspendAndResume) == ["item", "last"])
  }

  @Test func queuesThatTargetMainRunOnTheFirstThread() throws {
    #expect(
      try Self.notes(of: MainQueueScenario.mainServesQueuesThatTargetIt) == [
        "serial", "concurrent",
      ])
  }

  @Test func functionsLoopsAndAsyncAndWaitRunOnTheFirstThreadToo() throws {
    #expect(
      try Self.notes(of: MainQueueFormScenario.mainTakesFunctionsLoopsAndAsyncAndWait) == [
        "asyncAndWait", "sync_f", "0", "1", "2", "through a target", "async_f",
      ])
  }

  @Test func firstThreadFindsTheValuesAndTheLabelOfTheMainQueue() throws {
    let facts = try Self.facts(of: MainQueueFormScenario.mainKnowsItsValuesAndItsLabel)
    #expect(facts["outside"] == "7,com.apple.main-thread,none")
    #expect(facts["inside"] == "7,com.apple.main-thread,main")
    #expect(facts["above"] == "7,org.signalbox.facts.above,above")
  }

  @Test func firstThreadIsOnTheMainQueue() throws {
    #expect(try Self.notes(of: MainQueueScenario.mainThreadIsOnTheMainQueue) == ["checked"])
  }

  @Test func mainSyncIsOnTheCallersQueuesToo() throws {
    #expect(
      try Self.notes(of: MainQueueFormScenario.mainSyncIsOnTheCallersQueues) == ["sync", "async"])
  }

  @Test func capturesOfMainItemsAreReleased() throws {
    #expect(try Self.facts(of: MainQueueScenario.mainReleasesWhatItsItemsCaptured)["alive"] == "0")
  }
}
