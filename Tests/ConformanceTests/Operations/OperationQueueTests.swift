// OperationQueueTests — an operation queue's contents, properties and lifetime.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationQueueTests {
  // MARK: Initial state

  @Test func aFreshQueueIsEmptyAndNotSuspended() {
    let queue = OperationQueue()
    #expect(queue.operations.isEmpty)
    #expect(queue.operationCount == 0)
    #expect(!queue.isSuspended)
    #expect(queue.maxConcurrentOperationCount == -1)
    #expect(OperationQueue.defaultMaxConcurrentOperationCount == -1)
    #expect(queue.underlyingQueue == nil)
    queue.waitUntilAllOperationsAreFinished()
    queue.cancelAllOperations()
    queue.addOperations([], waitUntilFinished: true)
  }

  @Test func propertiesReadBack() {
    let queue = OperationQueue()
    for name in ["first", "", "a name that is longer than any kernel's list would show it"] {
      queue.name = name
      #expect(queue.name == name)
    }
    for width in [1, 2, 64, 100_000, OperationQueue.defaultMaxConcurrentOperationCount] {
      queue.maxConcurrentOperationCount = width
      #expect(queue.maxConcurrentOperationCount == width)
    }
    for quality in everyQualityOfService {
      queue.qualityOfService = quality
      #expect(queue.qualityOfService == quality)
    }
    for isSuspended in [true, true, false, false] {
      queue.isSuspended = isSuspended
      #expect(queue.isSuspended == isSuspended)
    }
  }

  @Test func aQueueWithoutANameHasAUniqueName() throws {
    let one = OperationQueue(), other = OperationQueue()
    let names = [try #require(one.name), try #require(other.name)]
    #expect(names[0] != names[1])
    #expect(names.allSatisfy { $0.hasPrefix("NSOperationQueue 0x") })
    one.name = "named"
    #expect(one.name == "named")
    #expect(other.name == names[1])
  }

  @Test func queuesAreEqualToThemselvesOnly() {
    let one = OperationQueue(), other = OperationQueue()
    #expect(one == one)
    #expect(one != other)
    #expect(Set([one, other, one]).count == 2)
  }

  // MARK: Contents

  @Test func operationsAreThoseThatHaveNotFinishedInTheOrderAdded() throws {
    let queue = OperationQueue.suspended(width: 2)
    let gates = (0..<5).map { _ in Gate() }
    let inside = (0..<5).map { _ in Gate("inside") }
    let operations = (0..<5).map { BodyOperation.passing(gates[$0], inside[$0]) }
    queue.addOperation(operations[0])
    queue.addOperations(Array(operations[1...]), waitUntilFinished: false)
    #expect(queue.operations == operations)
    #expect(queue.operationCount == 5)
    queue.isSuspended = false
    try inside[0].wait()
    try inside[1].wait()
    #expect(queue.operations == operations)
    gates[1].open()
    try inside[2].wait()
    #expect(queue.operations == [0, 2, 3, 4].map { operations[$0] })
    #expect(queue.operationCount == 4)
    for gate in gates { gate.open() }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operations.isEmpty)
    #expect(queue.operationCount == 0)
  }

  @Test func aFinishedOperationHasLeftItsQueueWhenItsWaiterReturns() {
    let queue = OperationQueue()
    for _ in 0..<200 {
      let operation = Operation()
      queue.addOperation(operation)
      operation.waitUntilFinished()
      #expect(!queue.operations.contains(operation))
      #expect(queue.operationCount == 0)
    }
  }

  @Test func blocksAreOperationsToo() throws {
    let queue = OperationQueue.suspended()
    let ran = EventCounter("runs")
    for _ in 0..<3 { queue.addOperation { ran.increment() } }
    #expect(queue.operationCount == 3)
    #expect(queue.operations.count == 3)
    let last = try #require(queue.operations.last)
    #expect(last is BlockOperation)
    last.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 2)
  }

  @Test func anyThreadMayAdd() throws {
    let queue = OperationQueue.width(3)
    let ran = EventCounter("runs")
    try runThreads(4) { _ in
      for number in 0..<250 {
        if number % 2 == 0 {
          queue.addOperation { ran.increment() }
        } else {
          queue.addOperation(BodyOperation { _ in ran.increment() })
        }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 1000)
  }

  @Test func operationsMayAddOperations() throws {
    let queue = OperationQueue.width(1)
    let ran = EventCounter("runs")
    @Sendable func descend(_ depth: Int) {
      ran.increment()
      guard depth > 0 else { return }
      for _ in 0..<2 { queue.addOperation { descend(depth - 1) } }
    }
    queue.addOperation { descend(6) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 127)
  }

  // MARK: Waiting

  @Test func addingMayWaitForTheAddedOperations() throws {
    let queue = OperationQueue()
    let gate = Gate()
    let ran = EventCounter("runs")
    let before = BodyOperation.passing(gate)
    queue.addOperation(before)
    let operations = (0..<20).map { _ in BodyOperation { _ in ran.increment() } }
    queue.addOperations(operations, waitUntilFinished: true)
    #expect(ran.value == 20)
    #expect(!before.isFinished)
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(before.isFinished)
  }

  @Test func addingNeedNotWait() {
    let queue = OperationQueue()
    let gate = Gate()
    let operation = BodyOperation.passing(gate)
    queue.addOperations([operation], waitUntilFinished: false)
    #expect(!operation.isFinished)
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.isFinished)
  }

  @Test func waitingIncludesOperationsAddedInTheMeantime() throws {
    let queue = OperationQueue()
    let gates = [Gate(), Gate()]
    let ended = EventCounter("ended"), returned = EventCounter("waiters")
    queue.addOperation {
      gates[0].pass()
      queue.addOperation {
        gates[1].pass()
        ended.increment()
      }
      ended.increment()
    }
    let waiters = try (0..<3).map { _ in
      try PlainThread {
        queue.waitUntilAllOperationsAreFinished()
        if ended.value == 2 { returned.increment() }
      }
    }
    letRealTimePass(RealTime.settling)
    gates[0].open()
    try ended.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(returned.value == 0)
    gates[1].open()
    for waiter in waiters { try waiter.join() }
    #expect(returned.value == 3)
  }

  @Test func aThreadMayWaitRepeatedly() {
    let queue = OperationQueue.width(2)
    let cell = Unprotected(0)
    for round in 1...300 {
      queue.addOperation { cell.value = round }
      queue.waitUntilAllOperationsAreFinished()
      #expect(cell.value == round)
    }
  }

  // MARK: Life

  @Test func aReleasedQueueRunsItsOperations() throws {
    let watch = WeakWatch()
    let ran = EventCounter("runs")
    let gate = Gate()
    do {
      let queue = watch.watch(OperationQueue.width(1))
      queue.addOperation { gate.pass() }
      for _ in 0..<20 { queue.addOperation { ran.increment() } }
    }
    letRealTimePass(RealTime.settling)
    #expect(watch.alive == 1)
    gate.open()
    try ran.wait(for: 20)
    try watch.waitUntilAllAreFreed()
  }

  @Test func queuesAreFreed() throws {
    let watch = WeakWatch()
    let tracker = LeakTracker()
    let underlying = DispatchQueue(label: "test.underlying")
    for number in 0..<30 {
      let queue = watch.watch(OperationQueue())
      if number % 3 == 0 { queue.maxConcurrentOperationCount = 1 }
      if number % 3 == 1 { queue.underlyingQueue = underlying }
      for _ in 0..<number % 5 {
        let object = tracker.makeObject()
        queue.addOperation { object.touch() }
      }
      if number % 2 == 0 { queue.addBarrierBlock {} }
      if number % 7 == 0 { queue.waitUntilAllOperationsAreFinished() }
    }
    try watch.waitUntilAllAreFreed()
    try tracker.waitUntilAllAreFreed()
    #expect(watch.watched == 30)
  }
}
