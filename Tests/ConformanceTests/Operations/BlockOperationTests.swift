// BlockOperationTests — operations with several blocks, which run concurrently.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct BlockOperationTests {
  @Test func oneBlockRunsOnce() {
    let ran = EventCounter("runs")
    let operation = BlockOperation { ran.increment() }
    #expect(operation.executionBlocks.count == 1)
    operation.start()
    #expect(ran.value == 1)
    #expect(operation.states == [false, true, false])
    operation.start()
    #expect(ran.value == 1)
  }

  @Test func withoutABlockItFinishes() {
    let operation = BlockOperation()
    #expect(operation.executionBlocks.isEmpty)
    operation.start()
    #expect(operation.isFinished)
    let queue = OperationQueue()
    queue.addOperations([BlockOperation()], waitUntilFinished: true)
  }

  @Test func everyBlockRunsOnce() throws {
    let queue = OperationQueue()
    try withEvery("in a queue", in: [false, true]) { isInQueue in
      try withEvery("blocks", in: [2, 3, 10, 200]) { count in
        let log = EventLog<Int>()
        let operation = BlockOperation()
        for number in 0..<count { operation.addExecutionBlock { log.append(number) } }
        #expect(operation.executionBlocks.count == count)
        if isInQueue {
          queue.addOperations([operation], waitUntilFinished: true)
        } else {
          operation.start()
        }
        #expect(log.all.sorted() == Array(0..<count))
        #expect(operation.isFinished)
      }
    }
  }

  @Test func executionBlocksCanBeCalled() {
    let log = EventLog<Int>()
    let operation = BlockOperation { log.append(0) }
    operation.addExecutionBlock { log.append(1) }
    for block in operation.executionBlocks { block() }
    #expect(log.all == [0, 1])
    #expect(!operation.isFinished)
  }

  /// Each block waits until all have started.
  @Test func blocksRunConcurrently() throws {
    try withEvery("in a queue", in: [false, true]) { isInQueue in
      let queue = OperationQueue.width(1)
      let inside = EventCounter("blocks inside"), mayEnd = Gate()
      let operation = BlockOperation()
      for _ in 0..<5 {
        operation.addExecutionBlock {
          inside.increment()
          mayEnd.pass()
        }
      }
      let starter = isInQueue ? nil : try PlainThread { operation.start() }
      if isInQueue { queue.addOperation(operation) }
      try inside.wait(for: 5)
      #expect(operation.states == [true, false, false])
      mayEnd.open()
      try starter?.join()
      operation.waitUntilFinished()
    }
  }

  @Test func anOperationHasFinishedWhenItsLastBlockHas() throws {
    let queue = OperationQueue.width(1)
    let gates = (0..<3).map { _ in Gate() }
    let ended = EventCounter("blocks ended"), completions = EventCounter("completions")
    let operation = BlockOperation()
    for gate in gates {
      operation.addExecutionBlock {
        gate.pass()
        ended.increment()
      }
    }
    operation.completionBlock = { completions.increment() }
    let next = Operation(), dependent = Operation()
    dependent.addDependency(operation)
    queue.addOperations([operation, next, dependent], waitUntilFinished: false)
    for (number, gate) in gates.enumerated() {
      letRealTimePass(RealTime.settling)
      #expect(!operation.isFinished)
      #expect(!next.isFinished)
      #expect(completions.value == 0)
      gate.open()
      try ended.wait(for: number + 1)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.isFinished)
    #expect(dependent.isFinished)
    try completions.wait(for: 1)
  }

  /// The blocks take one permit, whichever thread runs them and whenever the last one is
  /// assigned.
  @Test func severalBlocksCountOnceTowardsTheWidth() throws {
    let expected = Array(repeating: "block", count: 6) + ["next"]
    for _ in 0..<300 {
      let queue = OperationQueue.width(1)
      let log = EventLog<String>()
      let operation = BlockOperation()
      for _ in 0..<3 {
        operation.addExecutionBlock {
          log.append("block")
          log.append("block")
        }
      }
      let next = BodyOperation { _ in log.append("next") }
      queue.addOperations([operation, next], waitUntilFinished: true)
      #expect(log.all == expected)
    }
  }

  @Test func cancelledBeforeItsStartNoBlockRuns() throws {
    let ran = EventCounter("runs")
    let operation = BlockOperation { ran.increment() }
    operation.addExecutionBlock { ran.increment() }
    operation.cancel()
    operation.start()
    #expect(operation.states == [false, true, true])
    let queue = OperationQueue.suspended()
    let queued = BlockOperation { ran.increment() }
    queue.addOperation(queued)
    queued.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 0)
  }

  @Test func blocksSeeThatTheirOperationIsCancelled() throws {
    let queue = OperationQueue()
    let isInside = Gate("inside"), mayLook = Gate("look")
    let seen = EventLog<Bool>()
    let operation = BlockOperation()
    operation.addExecutionBlock { [unowned operation] in
      isInside.open()
      mayLook.pass()
      seen.append(operation.isCancelled)
    }
    queue.addOperation(operation)
    try isInside.wait()
    operation.cancel()
    mayLook.open()
    operation.waitUntilFinished()
    #expect(seen.all == [true])
  }

  @Test func writesOfBlocksAreVisibleAtTheEnd() throws {
    let queue = OperationQueue()
    for round in 1...100 {
      let cells = (0..<4).map { _ in Unprotected(0) }
      let operation = BlockOperation()
      for cell in cells { operation.addExecutionBlock { cell.value = round } }
      queue.addOperation(operation)
      operation.waitUntilFinished()
      #expect(cells.map(\.value) == [round, round, round, round])
    }
  }

  @Test func blocksMayAddOperations() throws {
    let queue = OperationQueue()
    let ran = EventCounter("runs")
    let operation = BlockOperation()
    for _ in 0..<4 {
      operation.addExecutionBlock { for _ in 0..<5 { queue.addOperation { ran.increment() } } }
    }
    queue.addOperation(operation)
    try ran.wait(for: 20)
  }

  @Test func blocksAreFreedWithTheirOperation() throws {
    let tracker = LeakTracker()
    do {
      let queue = OperationQueue()
      for number in 0..<30 {
        let operation = BlockOperation()
        for _ in 0..<3 {
          let object = tracker.makeObject()
          operation.addExecutionBlock { object.touch() }
        }
        switch number % 3 {
        case 0: queue.addOperation(operation)
        case 1: operation.start()
        default: operation.cancel()
        }
      }
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 90)
  }
}
