// MainQueueTests — the main queue. Each test runs a scenario of a program whose first thread
// drains it, because the testing library owns the first thread of a test process.

import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct MainQueueTests {
  static func facts(of scenario: String) throws -> [String: String] {
    let outcome = try ChildProgram("CountedFacts").run([scenario])
    #expect(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  /// Returns what the main items recorded, and checks that all ran on the first thread.
  static func notes(of scenario: String) throws -> [String] {
    let facts = try facts(of: scenario)
    #expect(facts["strays"] == "0")
    let notes = (facts["notes"] ?? "").split(separator: ",").map(String.init)
    #expect(facts["count"] == "\(notes.count)")
    return notes
  }

  @Test func itemsRunInOrderOnTheFirstThread() throws {
    let notes = try Self.notes(of: "main-runs-items-in-order-on-the-first-thread")
    #expect(notes == (0..<200).map { "\($0)" })
  }

  @Test func itemsStayPendingUntilSomethingDrainsTheQueue() throws {
    let notes = try Self.notes(of: "main-runs-nothing-until-it-is-drained")
    #expect(notes == ["before draining", "item", "from a worker"])
  }

  @Test func itemSubmittedByAMainItemStartsAfterItsEnd() throws {
    let notes = try Self.notes(of: "main-item-submitted-by-a-main-item-waits-for-its-end")
    #expect(notes == ["outer begins", "outer ends", "second", "inner"])
  }

  @Test func syncFromAWorkerRunsOnTheFirstThreadAndPassesBack() throws {
    let facts = try Self.facts(of: "main-sync-from-a-worker-runs-on-the-first-thread")
    #expect(facts["strays"] == "0")
    #expect(facts["notes"] == "sync,throws,item")
    #expect(facts["passedBack"] == "true")
    #expect(facts["error"] == "passed back")
  }

  @Test func everyFormOfSubmissionRunsOnTheFirstThread() throws {
    let notes = try Self.notes(of: "main-takes-every-form-of-submission")
    #expect(
      notes == [
        "async", "barrier", "background", "item", "group", "group item", "told", "after",
        "after wall", "performed", "item told",
      ])
  }

  @Test func orderOfEachProducerIsKept() throws {
    let facts = try Self.facts(of: "main-keeps-the-order-of-each-of-several-producers")
    #expect(facts["count"] == "1000")
    #expect(facts["strays"] == "0")
    for producer in 0..<4 { #expect(facts["producer\(producer)"] == "true") }
  }

  @Test func everyHopWakesTheMainQueue() throws {
    let facts = try Self.facts(of: "main-wakes-for-each-of-many-hops")
    #expect(facts["count"] == "501")
    #expect(facts["strays"] == "0")
  }

  @Test func nothingIsLostBySuspendAndResume() throws {
    // The documentation says that this has no effect on the main queue; Apple's may wait.
    #expect(try Self.notes(of: "main-loses-nothing-by-suspend-and-resume") == ["item", "last"])
  }

  @Test func queuesThatTargetMainRunOnTheFirstThread() throws {
    #expect(try Self.notes(of: "main-serves-queues-that-target-it") == ["serial", "concurrent"])
  }

  @Test func functionsLoopsAndAsyncAndWaitRunOnTheFirstThreadToo() throws {
    #expect(
      try Self.notes(of: "main-takes-functions-loops-and-async-and-wait") == [
        "asyncAndWait", "sync_f", "0", "1", "2", "through a target", "async_f",
      ])
  }

  @Test func firstThreadFindsTheValuesAndTheLabelOfTheMainQueue() throws {
    let facts = try Self.facts(of: "main-knows-its-values-and-its-label")
    #expect(facts["outside"] == "7,com.apple.main-thread,none")
    #expect(facts["inside"] == "7,com.apple.main-thread,main")
    #expect(facts["above"] == "7,org.signalbox.facts.above,above")
  }

  @Test func firstThreadIsOnTheMainQueue() throws {
    #expect(try Self.notes(of: "main-thread-is-on-the-main-queue") == ["checked"])
  }

  @Test func capturesOfMainItemsAreReleased() throws {
    #expect(try Self.facts(of: "main-releases-what-its-items-captured")["alive"] == "0")
  }
}
