// ReportOnDemandTests — reports that the program does not request: a signal or the environment
// does. Each test runs a program of its own.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct ReportOnDemandTests {
  private func run(
    _ scenario: any CountedScenario, _ arguments: [String] = [],
    _ environment: [String: String] = [:]
  ) throws -> ChildProgram.Outcome {
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: environment)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome
  }

  @Test func eachSignalWritesAReport() throws {
    let facts = try run(ReportScenario.reportOnSignal).facts
    #expect(facts["caught"] == "true")
    #expect(facts["given-back"] == "1")
  }

  @Test func theReportIsWrittenEvenIfEveryWorkerWaits() throws {
    let facts = try run(ReportScenario.reportWhileEveryWorkerWaits, [], ["SIGNALBOX_WORKERS": "2"])
      .facts
    #expect(facts["came"] == "1")
  }

  @Test func theEnvironmentAsksForOneInAFile() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/report.json"
    let facts = try run(
      ReportScenario.reportByEnvironment, [path], ["SIGNALBOX_REPORT": "USR2:\(path)"]
    ).facts
    #expect(facts["caught"] == "true")
    for index in 0..<2 {
      let value = try StrictJSON(#require(facts["json-\(index)"]))
      let queues = value["queues"].items.filter { $0["label"].text == "org.signalbox.facts.report" }
      #expect(queues.map { $0["count"].number } == [2])
      #expect(queues.map { $0["isSuspended"].flag } == [true])
    }
  }

  @Test func aWorkerHasTheNameOfItsQueueOnRequest() throws {
    let names = try run(ReportScenario.namesOfWorkers, [], ["SIGNALBOX_THREAD_NAMES": "queues"])
      .facts
    #expect(names["serial"] == "db.writer")
    #expect(names["concurrent"] == "with a very lon")
    #expect(names["global"]?.hasPrefix("sb-default-") == true)
    #expect(names["main"] == "CountedFacts")
  }

  @Test(arguments: ["", "items"])
  func workersAreNumberedOtherwise(_ wish: String) throws {
    let outcome = try run(ReportScenario.namesOfWorkers, [], ["SIGNALBOX_THREAD_NAMES": wish])
    for queue in ["serial", "concurrent", "global"] {
      #expect(outcome.facts[queue]?.hasPrefix("sb-default-") == true)
    }
    let words = "SIGNALBOX: SIGNALBOX_THREAD_NAMES=\(wish) is ignored: it must be \"queues\".\n"
    #expect(outcome.standardError == (wish.isEmpty ? "" : words))
  }

  @Test func withoutThatNothingIsCaughtAndNoThreadStarted() throws {
    let outcome = try run(ReportScenario.reportNotAsked)
    #expect(outcome.facts["caught"] == "false")
    #expect(outcome.facts["threads"] == "1")
    #expect(outcome.standardError == "")
  }

  @Test(arguments: ["1", "USR3", "USR2:", "SIG", "usr2", "KILL9:/tmp/x"])
  func anInvalidRequestIsReportedAndIgnored(_ wish: String) throws {
    let outcome = try run(ReportScenario.reportNotAsked, [], ["SIGNALBOX_REPORT": wish])
    #expect(outcome.facts["caught"] == "false")
    #expect(outcome.facts["threads"] == "1")
    #expect(outcome.standardError.hasPrefix("SIGNALBOX: SIGNALBOX_REPORT=\(wish) is ignored: "))
  }

  @Test func anUnwritableFileIsReported() throws {
    let folder = try TemporaryFolder()
    let missing = folder.path + "/missing/report.txt"
    let outcome = try run(
      ReportScenario.reportToAMissingFolder, [], ["SIGNALBOX_REPORT": "USR2:\(missing)"])
    #expect(outcome.facts["said"] == "1")
  }

  /// The locks of reports, of queue lists and of operations are usable in a child.
  @Test(arguments: [
    ReportScenario.forkWhileReportsAreMade, .forkWhileOperationsAreMade, .forkWhileQueuesAreMade,
  ])
  func theProcessMayForkDuringAReport(_ scenario: ReportScenario) throws {
    #expect(try run(scenario).facts["failed"] == "0")
  }
}
