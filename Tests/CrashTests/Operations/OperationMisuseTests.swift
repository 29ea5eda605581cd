// Misuse of operations: each traps, and names the operation and what to do instead.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite("operations that are misused trap")
struct OperationMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Adding

    Misuse(
      "an operation is added to two queues", says: "\"shared\"", "first queue", "second queue",
      "another operation"
    ) {
      let queues = [suspendedQueue("first queue"), suspendedQueue("second queue")]
      let operation = namedOperation("shared")
      for queue in queues { queue.addOperation(operation) }
    }
    Misuse("an operation is added twice", says: "\"doubled\"", "twice queue") {
      let queue = suspendedQueue("twice queue")
      let operation = namedOperation("doubled")
      queue.addOperation(operation)
      queue.addOperation(operation)
    }
    Misuse("an operation is added twice in one call", says: "\"doubled\"", "twice queue") {
      let queue = suspendedQueue("twice queue")
      let operation = namedOperation("doubled")
      queue.addOperations([operation, operation], waitUntilFinished: false)
    }
    Misuse("a finished operation is added", says: "\"over\"", "finished") {
      let queue = suspendedQueue("late queue")
      let operation = namedOperation("over")
      operation.start()
      queue.addOperation(operation)
    }
    Misuse("an executing operation is added", says: "\"busy\"", "late queue", "has been started") {
      let queue = suspendedQueue("late queue")
      let operation = Endless()
      operation.name = "busy"
      operation.start()
      queue.addOperation(operation)
    }
    Misuse("an operation without a name is added twice", says: "Endless", "twice queue") {
      let queue = suspendedQueue("twice queue")
      let operation = Endless()
      queue.addOperation(operation)
      queue.addOperation(operation)
    }

    // MARK: Starting

    Misuse(
      "an operation that is not ready is started", says: "\"eager\"", "ready",
      "\"held up by this\"", "start"
    ) {
      let operation = namedOperation("eager")
      operation.addDependency(namedOperation("held up by this"))
      operation.start()
    }
    Misuse("an executing operation is started", says: "\"again\"", "executing", "start") {
      let operation = BlockOperation()
      operation.name = "again"
      operation.addExecutionBlock { [unowned operation] in operation.start() }
      operation.start()
    }

    // MARK: Blocks

    Misuse(
      "an executing block operation gets a block", says: "\"under way\"", "addExecutionBlock",
      "executing"
    ) {
      let operation = BlockOperation()
      operation.name = "under way"
      operation.addExecutionBlock { [unowned operation] in operation.addExecutionBlock {} }
      operation.start()
    }
    Misuse(
      "a finished block operation gets a block", says: "\"over\"", "addExecutionBlock", "finished"
    ) {
      let operation = BlockOperation {}
      operation.name = "over"
      operation.start()
      operation.addExecutionBlock {}
    }
  }

  // MARK: Finishing

  /// What never finishes is found by its name in the report of who waits for what.
  @Test func aSubclassThatNeverFinishesIsInTheReport() throws {
    let queue = OperationQueue()
    queue.name = "never ending queue"
    let operation = Endless()
    operation.name = "never ending operation"
    queue.addOperation(operation)
    try operation.isStarted.wait()
    let waiters = [
      try PlainThread { operation.waitUntilFinished() },
      try PlainThread { queue.waitUntilAllOperationsAreFinished() },
    ]
    let end = Uptime.now() + RealTime.wedge
    var report = ""
    while Uptime.now() < end {
      report = BlockedReport.text()
      if report.contains("\"never ending operation\"") && report.contains("never ending queue") {
        break
      }
      letRealTimePass(.milliseconds(1))
    }
    #expect(report.contains("\"never ending operation\""), "\(report)")
    #expect(report.contains("never ending queue"), "\(report)")
    operation.finish()
    for waiter in waiters { try waiter.join() }
  }
}

// MARK: Means

/// An asynchronous subclass that a test finishes.
final class Endless: Operation, @unchecked Sendable {
  // SAFETY: what it adds to `Operation` is immutable.
  private let state = Guarded((isExecuting: false, isFinished: false))
  let isStarted = Gate("start of what does not end")

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.current.isExecuting }
  override var isFinished: Bool { state.current.isFinished }

  override func start() {
    willChangeValue(for: \.isExecuting)
    state.withValue { $0.isExecuting = true }
    didChangeValue(for: \.isExecuting)
    isStarted.open()
  }

  func finish() {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    state.withValue { $0 = (false, true) }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}

func namedOperation(_ name: String) -> BlockOperation {
  let operation = BlockOperation {}
  operation.name = name
  return operation
}

func suspendedQueue(_ name: String) -> OperationQueue {
  let queue = OperationQueue()
  queue.name = name
  queue.isSuspended = true
  return queue
}
