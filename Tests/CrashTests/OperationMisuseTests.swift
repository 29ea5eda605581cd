// Misuse of operations: each traps, and names the operation and what to do instead.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite("operations that are misused trap")
struct OperationMisuseTests {
  // MARK: Adding

  @Test func addingAnOperationToTwoQueues() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queues = [suspendedQueue("first queue"), suspendedQueue("second queue")]
      let operation = namedOperation("shared")
      for queue in queues { queue.addOperation(operation) }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"shared\"", "first queue", "second queue",
      "another operation")
  }

  @Test func addingAnOperationTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = suspendedQueue("twice queue")
      let operation = namedOperation("doubled")
      queue.addOperation(operation)
      queue.addOperation(operation)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"doubled\"", "twice queue")
  }

  @Test func addingAnOperationTwiceInOneCall() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let queue = suspendedQueue("twice queue")
        let operation = namedOperation("doubled")
        queue.addOperations([operation, operation], waitUntilFinished: false)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"doubled\"", "twice queue")
  }

  @Test func addingAFinishedOperation() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = suspendedQueue("late queue")
      let operation = namedOperation("over")
      operation.start()
      queue.addOperation(operation)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"over\"", "finished")
  }

  @Test func addingAnExecutingOperation() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = suspendedQueue("late queue")
      let operation = Endless()
      operation.name = "busy"
      operation.start()
      queue.addOperation(operation)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"busy\"", "late queue", "has been started")
  }

  @Test func aNamelessOperationIsNamedByItsClass() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = suspendedQueue("twice queue")
      let operation = Endless()
      queue.addOperation(operation)
      queue.addOperation(operation)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "Endless", "twice queue")
  }

  // MARK: Starting

  @Test func startingAnOperationThatIsNotReady() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = namedOperation("eager")
      operation.addDependency(namedOperation("held up by this"))
      operation.start()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"eager\"", "ready", "\"held up by this\"", "start")
  }

  @Test func startingAnOperationThatExecutes() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = BlockOperation()
      operation.name = "again"
      operation.addExecutionBlock { [unowned operation] in operation.start() }
      operation.start()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"again\"", "executing", "start")
  }

  // MARK: Finishing

  @Test func aSubclassThatFinishesTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = Endless()
      operation.name = "ended twice"
      operation.start()
      operation.finish()
      operation.finish()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"ended twice\"", "finished")
  }

  @Test func aSubclassThatFinishesTwiceInAQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let queue = OperationQueue()
        queue.name = "home"
        let operation = Endless()
        operation.name = "ended twice"
        queue.addOperation(operation)
        try operation.isStarted.wait()
        operation.finish()
        operation.waitUntilFinished()
        operation.finish()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"ended twice\"", "finished")
  }

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

  // MARK: Blocks

  @Test func addingABlockToAnExecutingBlockOperation() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = BlockOperation()
      operation.name = "under way"
      operation.addExecutionBlock { [unowned operation] in operation.addExecutionBlock {} }
      operation.start()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"under way\"", "addExecutionBlock", "executing")
  }

  @Test func addingABlockToAFinishedBlockOperation() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = BlockOperation {}
      operation.name = "over"
      operation.start()
      operation.addExecutionBlock {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"over\"", "addExecutionBlock", "finished")
  }
}

// MARK: Means

/// An asynchronous subclass that a test finishes, as often as it likes.
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
