// OperationQueueOrderTests — which operation of a queue starts next: barriers, readiness,
// priorities, and the order of adding.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationQueueOrderTests {
  // MARK: Priorities

  @Test func withAWidthOfOneOperationsRunInTheOrderAdded() {
    let queue = OperationQueue.width(1)
    let log = EventLog<Int>()
    for number in 0..<300 {
      if number % 2 == 0 {
        queue.addOperation { log.append(number) }
      } else {
        queue.addOperation(BodyOperation { _ in log.append(number) })
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(0..<300))
  }

  @Test func aChangeWithoutEffectKeepsThePlaceInLine() {
    // From now on classes count.
    Operation().qualityOfService = .utility
    let queue = OperationQueue.suspended()
    queue.maxConcurrentOperationCount = 1
    let log = EventLog<Int>()
    let operations = (0..<4).map { number in BlockOperation { log.append(number) } }
    for operation in operations { queue.addOperation(operation) }
    operations[0].queuePriority = .normal
    let dependent = Operation()
    dependent.addDependency(operations[1])
    queue.addOperation(dependent)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == [0, 1, 2, 3])
  }

  @Test func higherPrioritiesStartFirstAndEqualOnesInTheOrderAdded() {
    let queue = OperationQueue.suspended()
    let log = EventLog<[Int]>()
    for number in 0..<60 {
      let priority = everyQueuePriority[(number * 7 + 3) % everyQueuePriority.count]
      let operation = BodyOperation { _ in log.append([-priority.rawValue, number]) }
      operation.queuePriority = priority
      queue.addOperation(operation)
    }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.count == 60)
    #expect(log.all == log.all.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// The queue reads the priority when it chooses the next operation.
  @Test func aPriorityMayBeChangedInTheQueue() {
    let queue = OperationQueue.suspended()
    let log = EventLog<Int>()
    let operations = (0..<6).map { number in BodyOperation { _ in log.append(number) } }
    queue.addOperations(operations, waitUntilFinished: false)
    operations[4].queuePriority = .veryHigh
    operations[1].queuePriority = .low
    operations[5].queuePriority = .high
    operations[2].queuePriority = .veryLow
    operations[2].queuePriority = .normal
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.count == 6)
    #expect(Array(log.all.prefix(2)) == [4, 5])
    #expect(log.all.last == 1)
  }

  @Test func aHigherPriorityDoesNotStopARunningOperation() throws {
    let queue = OperationQueue.width(1)
    let isInside = Gate("inside"), mayEnd = Gate("end")
    let log = EventLog<String>()
    let low = BodyOperation { _ in
      isInside.open()
      mayEnd.pass()
      log.append("low")
    }
    let high = BodyOperation { _ in log.append("high") }
    low.queuePriority = .veryLow
    high.queuePriority = .veryHigh
    queue.addOperation(low)
    try isInside.wait()
    queue.addOperation(high)
    mayEnd.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["low", "high"])
  }

  /// A priority is not a dependency and does not replace one.
  @Test func readinessTakesPrecedenceOverPriority() {
    let queue = OperationQueue.suspended()
    let log = EventLog<String>()
    let low = BodyOperation { _ in log.append("low") }
    let high = BodyOperation { _ in log.append("high") }
    let middle = BodyOperation { _ in log.append("middle") }
    low.queuePriority = .veryLow
    high.queuePriority = .veryHigh
    high.addDependency(low)
    queue.addOperations([high, low, middle], waitUntilFinished: false)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["middle", "low", "high"])
  }

  @Test func anOperationThatBecomesReadyLaterIsOrderedByPriority() {
    let queue = OperationQueue.suspended()
    let log = EventLog<String>()
    let first = BodyOperation { _ in log.append("first") }
    let released = BodyOperation { _ in log.append("released") }
    released.queuePriority = .high
    released.addDependency(first)
    queue.addOperations([released, first], waitUntilFinished: false)
    for number in 0..<3 { queue.addOperation { log.append("\(number)") } }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["first", "released", "0", "1", "2"])
  }

  // MARK: Barriers

  @Test func aBarrierRunsAloneBetweenEarlierAndLaterOperations() throws {
    try withEvery("width", in: [1, 3, OperationQueue.defaultMaxConcurrentOperationCount]) { width in
      let queue = OperationQueue.width(width)
      let inside = Occupancy()
      let log = EventLog<Int>()
      for part in 0..<6 {
        for _ in 0..<10 {
          queue.addOperation {
            inside.enter()
            log.append(part)
            inside.leave()
          }
        }
        queue.addBarrierBlock {
          if inside.enter() == 1 { log.append(100 + part) }
          inside.leave()
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      let expected = (0..<6).flatMap { Array(repeating: $0, count: 10) + [100 + $0] }
      #expect(log.all == expected)
    }
  }

  @Test func aBarrierDelaysLaterOperationsOfAnyPriority() throws {
    let queue = OperationQueue()
    let gate = Gate(), mayLeave = Gate()
    let log = EventLog<String>()
    queue.addOperation {
      gate.pass()
      log.append("before")
    }
    queue.addBarrierBlock {
      mayLeave.pass()
      log.append("barrier")
    }
    let after = BodyOperation { _ in log.append("after") }
    after.queuePriority = .veryHigh
    queue.addOperation(after)
    letRealTimePass(RealTime.settling)
    #expect(log.count == 0)
    gate.open()
    try log.wait(forCount: 1)
    letRealTimePass(RealTime.settling)
    #expect(log.all == ["before"])
    mayLeave.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["before", "barrier", "after"])
  }

  @Test func aBarrierOfAnIdleQueueRunsAtOnce() throws {
    let queue = OperationQueue()
    let log = EventLog<Int>()
    for number in 0..<5 { queue.addBarrierBlock { log.append(number) } }
    #expect(try log.wait(forCount: 5) == [0, 1, 2, 3, 4])
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func aBarrierWaitsForOperationsWithDependencies() throws {
    let queue = OperationQueue()
    let log = EventLog<String>()
    let elsewhere = ManualOperation()
    let dependent = BodyOperation { _ in log.append("dependent") }
    dependent.addDependency(elsewhere)
    queue.addOperation(dependent)
    queue.addBarrierBlock { log.append("barrier") }
    queue.addOperation { log.append("after") }
    letRealTimePass(RealTime.settling)
    #expect(log.count == 0)
    elsewhere.finish()
    #expect(try log.wait(forCount: 3) == ["dependent", "barrier", "after"])
  }

  @Test func aSuspendedQueueHoldsItsBarriers() throws {
    let queue = OperationQueue.suspended(width: 2)
    let log = EventLog<String>()
    queue.addOperation { log.append("before") }
    queue.addBarrierBlock { log.append("barrier") }
    queue.addOperation { log.append("after") }
    letRealTimePass(RealTime.settling)
    #expect(log.count == 0)
    queue.isSuspended = false
    #expect(try log.wait(forCount: 3) == ["before", "barrier", "after"])
  }

  @Test func waitingIncludesBarriers() throws {
    let queue = OperationQueue()
    let cell = Unprotected(0)
    for round in 1...100 {
      queue.addBarrierBlock { cell.value = round }
      queue.waitUntilAllOperationsAreFinished()
      #expect(cell.value == round)
    }
  }

  @Test func barriersOrderWritesBeforeAndAfterThem() throws {
    let queue = OperationQueue()
    let cells = (0..<4).map { _ in Unprotected(0) }
    let sum = Unprotected(0)
    let wrong = EventCounter("wrong sums")
    for round in 1...100 {
      for cell in cells { queue.addOperation { cell.value += 1 } }
      queue.addBarrierBlock { sum.value = cells.reduce(0) { $0 + $1.value } }
      queue.addOperation { if sum.value != 4 * round { wrong.increment() } }
      queue.addBarrierBlock {}
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(wrong.value == 0)
    #expect(sum.value == 400)
  }

  @Test func aBarrierMayAddOperations() throws {
    let queue = OperationQueue()
    let log = EventLog<String>()
    queue.addBarrierBlock {
      queue.addOperation { log.append("added") }
      queue.addBarrierBlock { log.append("barrier") }
      log.append("outer")
    }
    #expect(try log.wait(forCount: 3) == ["outer", "added", "barrier"])
  }
}
