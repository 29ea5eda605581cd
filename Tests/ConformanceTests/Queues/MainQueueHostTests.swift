// MainQueueHostTests — the main queue hosted by another loop, and the report of what waits.

import CountedFacts
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct MainQueueHostTests {
  @Test func pollLoopDrainsTheMainQueue() throws {
    let facts = try MainQueueTests.facts(of: MainQueueHostScenario.mainIsHostedByAPollLoop)
    #expect(facts["idleTimeout"] == "true")
    #expect(facts["idleReadable"] == "false")
    #expect(facts["pendingTimeout"] == "false" || facts["pendingReadable"] == "true")
    #expect(facts["pendingReadable"] == "true")
    #expect(facts["before"] == "0")
    #expect(facts["after"] == "1")
    #expect(facts["drainedTimeout"] == "true")
    #expect(facts["drainedReadable"] == "false")
    #expect(facts["count"] == "105")
    #expect(facts["strays"] == "0")
    #expect(facts["workers"] == "100")
    #expect(facts["innerAfterOuter"] == "true")
    #expect(facts["others"] == "2")
    #expect(facts["quietReadable"] == "false")
  }

  @Test func reportShowsThatNothingDrainsTheMainQueue() throws {
    let outcome = try ChildProgram.run(
      MainQueueHostScenario.blockedReportOfAnUndrainedMainQueue)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let text = outcome.standardOutput
    #expect(text.contains("main queue") && text.contains("nobody drains"), "\(text)")
    #expect(text.contains("3 item"), "\(text)")
  }

  @Test func reportNamesTheQueueAThreadWaitsFor() throws {
    let queue = DispatchQueue(label: "test.report.held")
    let gate = Gate()
    let running = Gate("running")
    queue.async {
      running.open()
      gate.pass()
    }
    try running.wait()
    let waiter = try PlainThread { queue.sync {} }
    try WaitWatch.waitUntilAsleep(for: .sync, on: queue.label)
    #expect(BlockedReport.text().contains("test.report.held"))
    gate.open()
    try waiter.join()
    #expect(!BlockedReport.text().contains("test.report.held"))
  }
}
