// ReportJSONTests — a report as JSON: no label of a queue can break it.

import SignalboxDispatch
import SignalboxLocks
import SignalboxOperations
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct ReportJSONTests {
  private static let labels = [
    "plain", "", "quote\"backslash\\slash/", "line\nend\r\t", "\u{0}\u{1}\u{1F}\u{7F}\u{85}",
    "</script><img src=x onerror=alert(1)>", "\u{2028}\u{2029}", "emoji 🙂 é e\u{301} \u{200F}",
    "{\"a\":[1,2],}", "\\u0041", String(repeating: "long ", count: 2000),
  ]

  @Test(arguments: labels) func everyLabelSurvivesARoundTrip(_ label: String) throws {
    let mark = "json.\(label.count).\(label.utf8.count)."
    let queue = DispatchQueue(label: mark + label)
    queue.suspend()
    queue.async {}
    let target = DispatchQueue(label: mark + label + ".upon", target: queue)
    target.async {}
    let operations = OperationQueue()
    operations.name = mark + label
    operations.isSuspended = true
    let operation = BlockOperation {}
    operation.name = mark + label
    operations.addOperation(operation)
    let item = DispatchWorkItem {}
    queue.asyncAfter(wallDeadline: .now() + 3600, execute: item)
    let json = try inReport("everything") { report in
      // All queues' items together may be too many for one report to count.
      report.timers.contains { $0.queue == queue.label }
        && report.queues.contains { $0.label == queue.label && $0.count == 2 } ? report.json : nil
    }
    #expect(!json.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "<") })
    let value = try StrictJSON(json)
    #expect(value["format"].text == "signalbox-report")
    #expect(value["version"].number == 1)
    let shown = value["queues"].items
    #expect(shown.contains { $0["label"].text == queue.label && $0["count"].number == 2 })
    #expect(shown.contains { $0["target"].text == queue.label })
    #expect(value["timers"].items.contains { $0["queue"].text == queue.label })
    let mine = value["operationQueues"].items.first { $0["name"].text == queue.label }
    #expect(
      mine?["operations"].items.first?["title"].text
        == "the operation \"\(queue.label)\" (BlockOperation)")
    // In the text each thing has a line of its own.
    let lines = SignalboxReport.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count { $0.hasPrefix("the queue \"\(mark)") } == 2)
    item.cancel()
    operations.isSuspended = false
    queue.resume()
    queue.sync {}
    operations.waitUntilAllOperationsAreFinished()
  }

  @Test func aThreadShowsWhatItWaitsForSinceWhenAndItsOwner() throws {
    let lock = NSLock()
    lock.name = "json.\"lock\""
    lock.lock()
    let waiter = try PlainThread { lock.withLock {} }
    let wait = try inReport("waiting thread") { report -> StrictJSON? in
      let value = try? StrictJSON(report.json)
      return value?["threads"].items.first {
        $0["wait"]["resource"].text == "the NSLock \"json.\"lock\"\""
          && $0["wait"]["length"].number ?? 0 > 0
      }
    }
    #expect(wait["state"].text == "waiting")
    #expect(wait["wait"]["reason"].text == "for")
    #expect(wait["wait"]["isTimed"].flag == false)
    let functions = wait["wait"]["functions"].items.compactMap(\.text)
    #expect(functions.first?.contains("ReportJSONTests") == true, "\(functions)")
    let owner = try #require(wait["wait"]["owner"].number)
    // If there were very many threads, the report knows only a thread's number.
    #expect(wait["wait"]["ownerTitle"].text?.hasPrefix("thread \(Int(owner))") == true)
    lock.unlock()
    try waiter.join()
  }

  @Test func theValueAndItsJSONAgree() throws {
    let queue = DispatchQueue(label: "json.same")
    queue.suspend()
    queue.async {}
    let report = SignalboxReport.now
    let value = try StrictJSON(report.json)
    #expect(value["threads"].items.count == report.threads.count)
    #expect(value["queues"].items.map { $0["label"].text } == report.queues.map(\.label))
    #expect(value["timerCount"].number == Double(report.timerCount))
    #expect(value["uptime"].number == Double(report.uptime))
    #expect(value["pools"].items.count == report.pools.count)
    #expect(value["runLoops"].items.count == report.runLoops.count)
    queue.resume()
  }
}
