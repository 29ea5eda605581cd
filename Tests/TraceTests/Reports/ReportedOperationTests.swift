// ReportedOperationTests — what a report says about operations.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct ReportedOperationTests {
  private func found(
    _ name: String, where condition: (SignalboxReport.OperationQueue) -> Bool = { _ in true }
  ) throws -> SignalboxReport.OperationQueue {
    try inReport("operation queue \(name)") { report in
      report.operationQueues.first { $0.name == name && condition($0) }
    }
  }

  private func operation(_ name: String, _ block: @escaping @Sendable () -> Void = {})
    -> BlockOperation
  {
    let operation = BlockOperation(block: block)
    operation.name = name
    return operation
  }

  @Test func showsWhatAnOperationWaitsFor() throws {
    let queue = OperationQueue()
    queue.name = "report.operations"
    queue.isSuspended = true
    let (fetch, show) = (operation("fetch"), operation("show"))
    show.addDependency(fetch)
    queue.addOperations([show, fetch], waitUntilFinished: false)
    let shown = try found("report.operations")
    #expect(shown.isSuspended)
    #expect(shown.count == 2)
    #expect(shown.running == 0)
    #expect(shown.operations.map(\.state) == [.waiting, .ready])
    #expect(shown.operations[0].waitsFor == ["the operation \"fetch\" (BlockOperation)"])
    #expect(shown.operations[0].unfinished == 1)
    let lines = SignalboxReport.text.split(separator: "\n")
    #expect(
      lines.contains(
        "the operation \"show\" (BlockOperation) waits for the operation \"fetch\" (BlockOperation)"
      ))
    #expect(
      lines.contains("the operation \"fetch\" (BlockOperation) is ready, and waits for its turn"))
    queue.cancelAllOperations()
    #expect(try found("report.operations").operations.allSatisfy(\.isCancelled))
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(!SignalboxReport.now.operationQueues.contains { $0.name == "report.operations" })
  }

  @Test func distinguishesARunningOperationFromOneWithoutAThread() throws {
    let queue = OperationQueue()
    queue.name = "report.running"
    let over = Gate()
    let finish = Guarded<AsynchronousOperation.FinishBlock?>(nil)
    let flight = AsynchronousOperation { call in finish.withValue { $0 = call } }
    flight.name = "flight"
    queue.addOperation(operation("long") { over.pass() })
    queue.addOperation(flight)
    // The count and the states are from slightly different moments: a report may show that both
    // operations have begun, and still count one.
    _ = try found("report.running") {
      $0.running == 2 && Set($0.operations.map(\.state)) == [.running, .inFlight]
    }
    over.open()
    finish.current?()
    finish.withValue { $0 = nil }
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func aHundredAreShownOfMany() throws {
    let queue = OperationQueue()
    queue.name = "report.many"
    queue.isSuspended = true
    for _ in 0..<130 { queue.addOperation {} }
    let shown = try found("report.many")
    #expect(shown.count == 130)
    #expect(shown.operations.count == 100)
    // Takes the queue's own lines; other queues' lines may come before and after.
    let lines = SignalboxReport.text.split(separator: "\n")
    let own = try #require(
      lines.firstIndex { $0.hasPrefix("the operation queue \"report.many\" has 130 operations") })
    #expect(lines.dropFirst(own + 101).first == "and 30 more operations")
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  /// Queues are freed while a report looks at them.
  @Test func operationQueuesMayBeCreatedAndFreedDuringAReport() throws {
    let reports = Guarded(0)
    let isOver = Guarded(false)
    let reporter = try PlainThread {
      while !isOver.current {
        _ = SignalboxReport.now
        reports.withValue { $0 += 1 }
      }
    }
    try runThreads(2) { _ in
      // Makes no more than the pool can finish, because a report grows with the number of
      // queues.
      var lasts: [BlockOperation] = []
      while reports.current < 30 {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let last = BlockOperation {}
        for _ in 0..<5 {
          let operation = BlockOperation {}
          last.addDependency(operation)
          queue.addOperation(operation)
        }
        queue.addOperation(last)
        lasts.append(last)
        if lasts.count == 16 { lasts.removeFirst().waitUntilFinished() }
      }
    }
    isOver.withValue { $0 = true }
    try reporter.join()
  }
}
