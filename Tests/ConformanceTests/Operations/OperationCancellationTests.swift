// OperationCancellationTests — a cancelled operation finishes all the same.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationCancellationTests {
  // MARK: Before the start

  @Test func anOperationCancelledBeforeItsStartFinishesWithoutRunning() throws {
    try withEvery("in a queue", in: [false, true]) { isInQueue in
      let ran = EventCounter("runs"), completions = EventCounter("completions")
      let operation = BodyOperation { _ in ran.increment() }
      operation.completionBlock = { completions.increment() }
      operation.cancel()
      #expect(operation.isCancelled)
      #expect(!operation.isExecuting)
      if isInQueue {
        let queue = OperationQueue()
        queue.addOperations([operation], waitUntilFinished: true)
      } else {
        operation.start()
      }
      #expect(operation.states == [false, true, true])
      try completions.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(completions.value == 1)
      #expect(ran.value == 0)
    }
  }

  @Test func anOperationCancelledInAQueueFinishesWithoutRunning() throws {
    let queue = OperationQueue.suspended()
    let ran = EventCounter("runs"), completions = EventCounter("completions")
    let operations = (0..<20).map { _ in BodyOperation { _ in ran.increment() } }
    for operation in operations { operation.completionBlock = { completions.increment() } }
    queue.addOperations(operations, waitUntilFinished: false)
    for operation in operations[5...] { operation.cancel() }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 5)
    #expect(operations.allSatisfy { $0.isFinished })
    #expect(operations.map(\.isCancelled) == (0..<20).map { $0 >= 5 })
    try completions.wait(for: 20)
  }

  /// It ignores its dependencies.
  @Test func anOperationCancelledWhileItWaitsForADependencyFinishesAtOnce() throws {
    let queue = OperationQueue()
    let ran = EventCounter("runs")
    let never = ManualOperation()
    let operation = BodyOperation { _ in ran.increment() }
    operation.addDependency(never)
    queue.addOperation(operation)
    letRealTimePass(RealTime.settling)
    #expect(!operation.isReady)
    operation.cancel()
    #expect(operation.isReady)
    operation.waitUntilFinished()
    #expect(ran.value == 0)
    #expect(!never.isFinished)
    never.finish()
  }

  @Test func aDependentOfACancelledOperationRuns() throws {
    let queue = OperationQueue.suspended()
    let ran = EventCounter("runs")
    let cancelled = BodyOperation { _ in ran.increment() }
    let dependent = BodyOperation { _ in ran.increment() }
    dependent.addDependency(cancelled)
    queue.addOperations([cancelled, dependent], waitUntilFinished: false)
    cancelled.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 1)
    #expect(dependent.states == [false, true, false])
  }

  /// It counts as finished only after it has been started.
  @Test func aDependentOfACancelledOperationWaitsForItsEnd() throws {
    let queue = OperationQueue.suspended()
    let other = OperationQueue()
    let cancelled = Operation(), dependent = Operation()
    dependent.addDependency(cancelled)
    queue.addOperation(cancelled)
    other.addOperation(dependent)
    cancelled.cancel()
    letRealTimePass(RealTime.settling)
    #expect(!cancelled.isFinished)
    #expect(!dependent.isFinished)
    queue.isSuspended = false
    dependent.waitUntilFinished()
    #expect(cancelled.isFinished)
  }

  // MARK: After the start

  @Test func anOperationCancelledWhileItExecutesContinuesAndSeesIt() throws {
    let queue = OperationQueue()
    let isInside = Gate("inside"), mayLook = Gate("look")
    let seen = EventLog<[Bool]>()
    let operation = BodyOperation { operation in
      isInside.open()
      mayLook.pass()
      seen.append(operation.states)
    }
    queue.addOperation(operation)
    try isInside.wait()
    operation.cancel()
    #expect(operation.states == [true, false, true])
    mayLook.open()
    operation.waitUntilFinished()
    #expect(seen.all == [[true, false, true]])
    #expect(operation.states == [false, true, true])
  }

  @Test func cancellingAFinishedOperationHasNoEffect() {
    let operation = Operation()
    operation.start()
    operation.cancel()
    #expect(operation.states == [false, true, false])
  }

  @Test func cancellingAgainHasNoEffect() throws {
    let queue = OperationQueue.suspended()
    let completions = EventCounter("completions")
    let operation = Operation()
    operation.completionBlock = { completions.increment() }
    queue.addOperation(operation)
    for _ in 0..<3 { operation.cancel() }
    queue.isSuspended = false
    operation.waitUntilFinished()
    operation.cancel()
    try completions.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(completions.value == 1)
  }

  @Test func anOperationMayCancelItself() {
    let operation = BodyOperation { $0.cancel() }
    operation.start()
    #expect(operation.states == [false, true, true])
  }

  // MARK: All operations of a queue

  @Test func cancellingAllReachesEveryOperationOfTheQueue() throws {
    let queue = OperationQueue.width(2)
    let inside = EventCounter("inside"), mayEnd = Gate("end")
    let ran = EventCounter("runs")
    let running = (0..<2).map { _ in
      BodyOperation { _ in
        inside.increment()
        mayEnd.pass()
        ran.increment()
      }
    }
    let waiting = (0..<10).map { _ in BodyOperation { _ in ran.increment() } }
    waiting[3].addDependency(ManualOperation())
    queue.addOperations(running + waiting, waitUntilFinished: false)
    try inside.wait(for: 2)
    queue.cancelAllOperations()
    #expect((running + waiting).allSatisfy { $0.isCancelled })
    #expect(running.allSatisfy { $0.isExecuting })
    mayEnd.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 2)
    #expect((running + waiting).allSatisfy { $0.isFinished })
    #expect(queue.operationCount == 0)
  }

  @Test func operationsAddedAfterwardsRun() throws {
    let queue = OperationQueue()
    let ran = EventCounter("runs")
    queue.cancelAllOperations()
    queue.addOperation { ran.increment() }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 1)
  }

  @Test func cancellingAllCallsOverriddenCancel() throws {
    let queue = OperationQueue.suspended()
    let operations = (0..<3).map { _ in Telling() }
    queue.addOperations(operations, waitUntilFinished: false)
    queue.cancelAllOperations()
    #expect(operations.map(\.told.value) == [1, 1, 1])
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  private final class Telling: Operation, @unchecked Sendable {
    // SAFETY: the properties that it adds to `Operation` are immutable.
    let told = EventCounter("cancels")
    override func cancel() {
      super.cancel()
      told.increment()
    }
  }

  /// A cancelled operation must be started to finish, and a suspended queue starts none.
  @Test func aSuspendedQueueKeepsCancelledOperations() throws {
    let queue = OperationQueue.suspended()
    let operations = (0..<5).map { _ in Operation() }
    queue.addOperations(operations, waitUntilFinished: false)
    queue.cancelAllOperations()
    letRealTimePass(RealTime.settling)
    #expect(queue.operationCount == 5)
    #expect(!operations.contains { $0.isFinished })
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operationCount == 0)
    #expect(operations.allSatisfy { $0.isFinished })
  }

  // MARK: Races

  @Test func cancelAndStartAtTheSameTimeFinishItOnce() throws {
    let queue = OperationQueue()
    let completions = EventCounter("completions"), ran = EventCounter("runs")
    let rounds = 300
    for _ in 0..<rounds {
      let runs = EventCounter("runs of one")
      let operation = BodyOperation { _ in
        runs.increment()
        ran.increment()
      }
      operation.completionBlock = { completions.increment() }
      try runThreads(2) { index in
        if index == 0 { queue.addOperation(operation) } else { operation.cancel() }
      }
      operation.waitUntilFinished()
      #expect(runs.value <= 1)
    }
    try completions.wait(for: rounds)
    letRealTimePass(RealTime.settling)
    #expect(completions.value == rounds)
  }
}
