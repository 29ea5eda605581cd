// OperationCompletionTests — completion blocks, and waiting for an operation.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationCompletionTests {
  // MARK: Completion blocks

  @Test func theBlockRunsOnceWhenTheOperationHasFinished() throws {
    let queue = OperationQueue()
    try withEvery("in a queue", in: [false, true]) { isInQueue in
      let seen = EventLog<[Bool]>()
      let operation = BodyOperation { _ in }
      operation.completionBlock = { [unowned operation] in seen.append(operation.states) }
      if isInQueue { queue.addOperation(operation) } else { operation.start() }
      try seen.wait(forCount: 1)
      letRealTimePass(RealTime.settling)
      #expect(seen.all == [[false, true, false]])
      // Outside of a queue, only this keeps the operation until its block has run.
      withExtendedLifetime(operation) {}
    }
  }

  @Test func theBlockIsClearedOnceItHasRun() throws {
    let tracker = LeakTracker()
    let operation = Operation()
    do {
      let object = tracker.makeObject()
      operation.completionBlock = { object.touch() }
    }
    operation.start()
    try tracker.waitUntilAllAreFreed()
    #expect(operation.completionBlock == nil)
    #expect(operation.isFinished)
  }

  @Test func onlyTheLastBlockThatWasSetRuns() throws {
    let log = EventLog<Int>()
    let operation = Operation()
    for number in 0..<3 { operation.completionBlock = { log.append(number) } }
    operation.start()
    try log.wait(forCount: 1)
    letRealTimePass(RealTime.settling)
    #expect(log.all == [2])
    let silent = Operation()
    silent.completionBlock = { log.append(3) }
    silent.completionBlock = nil
    silent.start()
    letRealTimePass(RealTime.settling)
    #expect(log.all == [2])
  }

  @Test func theBlockMayBeSetWhileTheOperationExecutes() throws {
    let ran = EventCounter("completions")
    let operation = BodyOperation { $0.completionBlock = { ran.increment() } }
    operation.start()
    try ran.wait(for: 1)
  }

  /// The operation's work is done; a long completion block is not part of it.
  @Test func noThreadWaitsForTheCompletionBlock() throws {
    let queue = OperationQueue.width(1)
    let mayEnd = Gate(), ended = Gate()
    let operation = Operation(), dependent = Operation()
    operation.completionBlock = {
      mayEnd.pass()
      ended.open()
    }
    dependent.addDependency(operation)
    queue.addOperations([operation, dependent], waitUntilFinished: true)
    #expect(dependent.isFinished)
    #expect(!ended.isOpened)
    mayEnd.open()
    try ended.wait()
  }

  @Test func theBlockMayUseTheQueue() throws {
    let queue = OperationQueue.width(1)
    let ran = EventCounter("runs")
    let operation = BodyOperation()
    operation.completionBlock = {
      queue.addOperation { ran.increment() }
      queue.waitUntilAllOperationsAreFinished()
      ran.increment()
    }
    queue.addOperation(operation)
    try ran.wait(for: 2)
  }

  @Test func theBlockSeesWhatTheOperationWrote() throws {
    let queue = OperationQueue()
    for round in 1...200 {
      let cell = Unprotected(0)
      let found = EventLog<Int>()
      let operation = BodyOperation { _ in cell.value = round }
      operation.completionBlock = { found.append(cell.value) }
      queue.addOperation(operation)
      #expect(try found.wait(forCount: 1) == [round])
    }
  }

  // MARK: Ends that are announced again

  @Test func anEndMayBeAnnouncedAgain() throws {
    try withEvery("in a queue", in: [false, true]) { isInQueue in
      let queue = OperationQueue()
      let completions = EventCounter("completions"), dependents = EventCounter("dependents")
      let operation = StatefulOperation()
      operation.completionBlock = { completions.increment() }
      let dependent = BodyOperation { _ in dependents.increment() }
      dependent.addDependency(operation)
      queue.addOperation(dependent)
      if isInQueue { queue.addOperation(operation) } else { operation.start() }
      try operation.isStarted.wait()
      operation.cancel()
      operation.state = .finished  // The answer comes nevertheless.
      queue.waitUntilAllOperationsAreFinished()
      operation.cancel()
      operation.didChangeValue(for: \.isFinished)
      try completions.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(completions.value == 1)
      #expect(dependents.value == 1)
      #expect(queue.operationCount == 0)
    }
  }

  /// A worker that starts a cancelled operation and the thread that cancels it both announce the
  /// end.
  @Test func pendingOperationsThatEndThemselvesMayAllBeCancelled() throws {
    let queue = OperationQueue.width(4)
    let count = 1_000
    let completions = EventCounter("completions")
    let operations = (0..<count).map { _ in StatefulOperation() }
    for operation in operations { operation.completionBlock = { completions.increment() } }
    queue.addOperations(operations, waitUntilFinished: false)
    queue.cancelAllOperations()
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operationCount == 0)
    try completions.wait(for: count)
    letRealTimePass(RealTime.settling)
    #expect(completions.value == count)
  }

  // MARK: Waiting for one

  @Test func everyWaiterReturnsWhenTheOperationHasFinished() throws {
    let operation = ManualOperation()
    let released = EventCounter("waiters")
    let waiters = try (0..<4).map { _ in
      try PlainThread {
        operation.waitUntilFinished()
        released.increment()
      }
    }
    operation.start()
    letRealTimePass(RealTime.settling)
    #expect(released.value == 0)
    operation.finish()
    for waiter in waiters { try waiter.join() }
    #expect(released.value == 4)
    operation.waitUntilFinished()
  }

  @Test func aThreadMayWaitBeforeTheOperationIsQueued() throws {
    let queue = OperationQueue()
    let operation = BodyOperation()
    let isWaiting = Gate("waiting")
    let waiter = try PlainThread {
      isWaiting.open()
      operation.waitUntilFinished()
    }
    try isWaiting.wait()
    letRealTimePass(RealTime.settling)
    queue.addOperation(operation)
    try waiter.join()
    #expect(operation.isFinished)
  }

  @Test func aWaiterSeesWhatTheOperationWrote() throws {
    let queue = OperationQueue()
    for round in 1...200 {
      let cell = Unprotected(0)
      let operation = BodyOperation { _ in cell.value = round }
      queue.addOperation(operation)
      operation.waitUntilFinished()
      #expect(cell.value == round)
    }
  }

  @Test func aDependentSeesWhatItsDependencyWrote() throws {
    let queues = [OperationQueue(), OperationQueue()]
    let cell = Unprotected(0)
    let count = 300
    var last: Operation?
    for number in 1...count {
      let operation = BodyOperation { _ in
        if cell.value == number - 1 { cell.value = number }
      }
      if let last { operation.addDependency(last) }
      queues[number % 2].addOperation(operation)
      last = operation
    }
    last?.waitUntilFinished()
    #expect(cell.value == count)
  }

  /// The pool knows about the wait and runs other work in between.
  @Test func operationsMayWaitForOperationsOfOtherQueues() throws {
    let outer = OperationQueue(), inner = OperationQueue.width(1)
    let ran = EventCounter("runs")
    for _ in 0..<20 {
      outer.addOperation {
        let operation = BodyOperation { _ in ran.increment() }
        inner.addOperation(operation)
        operation.waitUntilFinished()
        ran.increment()
      }
    }
    outer.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 40)
  }

  @Test func anOperationMayWaitForAnotherOfItsQueueIfTheWidthAllows() throws {
    let queue = OperationQueue.width(2)
    let ran = EventCounter("runs")
    queue.addOperation {
      let operation = BodyOperation { _ in ran.increment() }
      queue.addOperation(operation)
      operation.waitUntilFinished()
      ran.increment()
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 2)
  }

  @Test func anItemOfADispatchQueueMayWait() throws {
    let queue = OperationQueue()
    let done = Gate()
    let operation = BodyOperation()
    DispatchQueue.global().async {
      operation.waitUntilFinished()
      done.open()
    }
    letRealTimePass(RealTime.settling)
    queue.addOperation(operation)
    try done.wait()
  }
}
