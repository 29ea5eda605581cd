// AdviceTests — advice for real programs names a mistake and its place, and does not report what is
// repaired.

import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct AdviceTests {
  private struct Mistake {
    let scenario: String
    let heading: String
    let subject: String
    let place: String
  }

  private static let mistakes = [
    Mistake(
      scenario: "queue-as-lock", heading: "a queue used as a lock",
      subject: "2000 of the 2000 items of the queue \"advice.counter\"",
      place: "TraceFacts.countUnderAQueue("),
    Mistake(
      scenario: "short-items", heading: "items shorter than their hand-off",
      subject: "the queue \"advice.short\"", place: "TraceFacts.handOverOneByOne()"),
    Mistake(
      scenario: "blocked-workers", heading: "blocked workers",
      subject: "8 of the waits were in items of the queue \"advice.blocked\"",
      place: "TraceFacts.passTheGate("),
    Mistake(
      scenario: "deep-queue", heading: "a deep queue with one producer",
      subject: "2000 items waited in the queue \"advice.deep\" at once",
      place: "TraceFacts.fill("),
    Mistake(
      scenario: "main-thread-wait", heading: "a wait on the main thread",
      subject: "for a signal of a semaphore made with 0; ",
      place: "TraceFacts.waitOnTheMainThread()"),
    Mistake(
      scenario: "priority-inversion", heading: "priority inversion",
      subject: "behind an item of the queue \"advice.holder\" (background)",
      place: "TraceFacts.want("),
  ]

  private func run(
    _ scenario: String, _ environment: [String: String] = ["SIGNALBOX_ADVICE": "1"]
  ) throws -> ChildProgram.Outcome {
    let outcome = try ChildProgram("TraceFacts").run(
      [scenario],
      environment: ["SIGNALBOX_WORKERS": "2", "SWIFT_BACKTRACE": "enable=no"].merging(environment) {
        $1
      })
    #expect(outcome.exit == .code(0), "\(scenario): \(outcome)")
    return outcome
  }

  @Test(arguments: 0..<6)
  func aMistakeIsReportedWithItsQueueAndItsFunction(_ index: Int) throws {
    let mistake = AdviceTests.mistakes[index]
    let said = try run(mistake.scenario).standardError
    let lines = said.split(separator: "\n")
    #expect(
      lines.first?.hasPrefix("SIGNALBOX: one piece of advice for TraceFacts") == true, "\(said)")
    #expect(lines.dropFirst().first?.hasPrefix("\(mistake.heading): ") == true, "\(said)")
    #expect(said.contains(mistake.subject), "\(said)")
    #expect(lines.contains { $0.hasPrefix("  at ") && $0.contains(mistake.place) }, "\(said)")
    #expect(lines.last?.hasPrefix("  instead: ") == true, "\(said)")
  }

  @Test(arguments: 0..<6)
  func aRepairedProgramGetsNoAdvice(_ index: Int) throws {
    let said = try run(AdviceTests.mistakes[index].scenario + "-repaired").standardError
    #expect(said.hasPrefix("SIGNALBOX: no advice for TraceFacts (process "), "\(said)")
    #expect(said.count { $0 == "\n" } == 1, "\(said)")
  }

  // MARK: Requests

  @Test(arguments: [nil, "", "0"] as [String?])
  func aProgramGetsNoAdviceUnlessItAsks(_ value: String?) throws {
    let outcome = try run("queue-as-lock", value.map { ["SIGNALBOX_ADVICE": $0] } ?? [:])
    #expect(outcome.standardError.isEmpty && outcome.facts["count"] == "2000")
  }

  @Test func adviceGoesIntoAFile() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/advice"
    for _ in 0..<2 {
      let outcome = try run("queue-as-lock", ["SIGNALBOX_ADVICE": path])
      #expect(outcome.standardError.isEmpty, "\(outcome.standardError)")
    }
    let text = String(decoding: try bytes(of: path), as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("a queue used as a lock: ") } == 2)
    let missing = "\(folder.path)/missing/advice"
    let said = try run("queue-as-lock", ["SIGNALBOX_ADVICE": missing]).standardError
    #expect(
      said.hasPrefix("SIGNALBOX: the advice could not be written to \(missing) (errno 2"), "\(said)"
    )
  }

  @Test func aRunningProgramGetsAdviceOnceForEachQueue() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/advice"
    let outcome = try ChildProgram("TraceFacts").run(
      ["advice-meanwhile", path],
      environment: ["SIGNALBOX_ADVICE": path, "SIGNALBOX_ADVICE_EVERY": "20ms"])
    #expect(outcome.exit == .code(0), "\(outcome)")
    let text = String(decoding: try bytes(of: path), as: UTF8.self)
    let pieces = text.split(separator: "\n").filter { $0.hasPrefix("a queue used as a lock: ") }
    #expect(pieces.count == 2, "\(text)")
    #expect(pieces.first?.contains("advice.counter") == true, "\(text)")
    #expect(pieces.last?.contains("advice.other") == true, "\(text)")
  }

  @Test func anInvalidIntervalIsReportedInOneLine() throws {
    let said = try run(
      "queue-as-lock", ["SIGNALBOX_ADVICE": "1", "SIGNALBOX_ADVICE_EVERY": "often"]
    ).standardError
    #expect(said.hasPrefix("SIGNALBOX: SIGNALBOX_ADVICE_EVERY=\"often\" is not a time: "))
    #expect(said.count { $0 == "\n" } == 1, "\(said)")
  }

  @Test func aRecordingKeepsItsAdviceAndThePlaces() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/recording.sbtrace"
    _ = try run("queue-as-lock", ["SIGNALBOX_ADVICE": "1", "SIGNALBOX_TRACE": path])
    let program = try ChildProgram("signalbox-trace")
    let advice = try program.run(["advice", path])
    #expect(advice.exit == .code(0) && advice.standardError.isEmpty)
    #expect(advice.standardOutput.hasPrefix("a queue used as a lock: 2000 of the 2000 items"))
    #expect(advice.standardOutput.contains("TraceFacts.countUnderAQueue("))
    let summary = try program.run([path]).standardOutput
    #expect(summary.contains("\n\nADVICE\na queue used as a lock: 2000 of the 2000 items"))
    #expect(summary.count { $0 == "\n" } <= 24)

    _ = try run("queue-as-lock-repaired", ["SIGNALBOX_TRACE": path])
    #expect(try program.run(["advice", path]).standardOutput == "There is no advice.\n")
    #expect(try program.run([path]).standardOutput.contains("ADVICE") == false)
    #expect(try program.run(["advice", path, "-o", "x.html"]).exit == .code(2))
    #expect(try program.run(["advice"]).exit == .code(2))
  }

  @Test func aRecordingWithoutAdviceHasNoPlaces() throws {
    #expect(try Recorded("queue-as-lock").events(.place).isEmpty)
    let run = try Recorded("queue-as-lock", [], ["SIGNALBOX_ADVICE": "/dev/null"])
    // The first of them, the second, the fourth … the 1024th.
    #expect(run.events(.place).count == 11)
  }

  @Test func aProgramMayRequestAdviceItself() throws {
    let facts = try run("advice-asked", [:]).facts
    #expect(facts["before"] == "0")
    #expect(facts["kind"] == "queueAsLock" && facts["queue"] == "advice.counter")
    #expect(facts["calls"] == "2000")
    #expect(facts["places"]?.contains("TraceFacts.countUnderAQueue(") == true)
  }

  /// The child's work is not part of the recording, and its end prints nothing.
  @Test func aForkedChildIsNotAdvised() throws {
    let said = try run("fork").standardError
    #expect(said.count { $0 == "\n" } == 1, "\(said)")
  }
}
