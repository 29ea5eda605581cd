// ReportedTimerTests — what a report says about timers.

import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct ReportedTimerTests {
  private static let hour: Int64 = 3_600_000_000_000

  @Test func aDelayedItemIsListedUntilItIsCancelled() throws {
    let queue = DispatchQueue(label: "report.later")
    let item = DispatchWorkItem {}
    queue.asyncAfter(deadline: .now() + 3600, execute: item)
    let timer = try inReport("timer") { $0.timers.first { $0.queue == "report.later" } }
    #expect(timer.purpose == .item)
    #expect(timer.clock == .uptime)
    #expect((1...ReportedTimerTests.hour).contains(timer.dueIn))
    #expect(timer.interval == 0)
    #expect(timer.leeway == 1_000_000)
    let line = try inReport("line") { report in
      report.text.split(separator: "\n").first { $0.hasSuffix("on the queue \"report.later\"") }
    }
    #expect(line.hasPrefix("a timer is due in "))
    #expect(line.hasSuffix(", for an item on the queue \"report.later\""))
    item.cancel()
    #expect(!SignalboxReport.now.timers.contains { $0.queue == "report.later" })
  }

  @Test func aTimerSourceShowsItsInterval() throws {
    let queue = DispatchQueue(label: "report.often")
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(wallDeadline: .now() + 3600, repeating: .seconds(5), leeway: .seconds(1))
    source.setEventHandler {}
    source.activate()
    let timer = try inReport("timer") { $0.timers.first { $0.queue == "report.often" } }
    #expect(timer.purpose == .source)
    #expect(timer.clock == .wall)
    #expect(timer.interval == 5_000_000_000)
    #expect(timer.leeway == 1_000_000_000)
    #expect(SignalboxReport.now.timerCount > 0)
    source.cancel()
    #expect(!SignalboxReport.now.timers.contains { $0.queue == "report.often" })
  }
}
