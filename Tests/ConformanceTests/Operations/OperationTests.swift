// OperationTests — an operation's own states and properties.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationTests {
  // MARK: Initial state

  @Test func aFreshOperationIsReadyAndNothingElse() {
    for operation in [Operation(), BodyOperation(), BlockOperation {}] {
      #expect(operation.isReady)
      #expect(operation.states == [false, false, false])
      #expect(!operation.isAsynchronous)
      #expect(operation.dependencies.isEmpty)
      #expect(operation.queuePriority == .normal)
      #expect(operation.qualityOfService == .default)
      #expect(operation.name == nil)
      #expect(operation.completionBlock == nil)
    }
  }

  @Test func propertiesReadBack() throws {
    let operation = Operation()
    for name in ["first", "", "a name that is longer than any kernel's list would show it", nil] {
      operation.name = name
      #expect(operation.name == name)
    }
    for priority in everyQueuePriority {
      operation.queuePriority = priority
      #expect(operation.queuePriority == priority)
    }
    for quality in everyQualityOfService {
      operation.qualityOfService = quality
      #expect(operation.qualityOfService == quality)
    }
    let ran = EventCounter("calls")
    operation.completionBlock = { ran.increment() }
    operation.completionBlock?()
    #expect(ran.value == 1)
    operation.completionBlock = nil
    #expect(operation.completionBlock == nil)
  }

  @Test func prioritiesHaveApplesNumbers() {
    #expect(everyQueuePriority.map(\.rawValue) == [8, 4, 0, -4, -8])
    for priority in everyQueuePriority {
      #expect(Operation.QueuePriority(rawValue: priority.rawValue) == priority)
    }
    #expect(Operation.QueuePriority(rawValue: 3) == nil)
  }

  @Test func operationsAreEqualToThemselvesOnly() {
    let one = BlockOperation {}
    let other = BlockOperation {}
    #expect(one == one)
    #expect(one != other)
    #expect(Set<Operation>([one, other, one]).count == 2)
    #expect([one: 1, other: 2][other] == 2)
  }

  // MARK: Started by hand

  @Test func startRunsMainOnTheCallersThreadAndReturnsAfterIt() {
    let threads = EventLog<Int>()
    let operation = BodyOperation { _ in threads.append(kernelThreadNumber()) }
    operation.start()
    #expect(threads.all == [kernelThreadNumber()])
    #expect(operation.states == [false, true, false])
  }

  @Test func withinMainItIsExecutingAndNotFinished() {
    let seen = EventLog<[Bool]>()
    let operation = BodyOperation { seen.append($0.states) }
    operation.start()
    #expect(seen.all == [[true, false, false]])
  }

  @Test func anOperationThatOverridesNothingFinishes() {
    let operation = Operation()
    operation.start()
    #expect(operation.states == [false, true, false])
  }

  @Test func aFinishedOperationDoesNotRunAgain() {
    let ran = EventCounter("runs")
    let operation = BodyOperation { _ in ran.increment() }
    operation.start()
    operation.start()
    #expect(ran.value == 1)
    #expect(operation.states == [false, true, false])
  }

  /// `main()` alone is an ordinary method.
  @Test func callingMainChangesNoState() {
    let ran = EventCounter("runs")
    let operation = BodyOperation { _ in ran.increment() }
    operation.main()
    #expect(ran.value == 1)
    #expect(operation.states == [false, false, false])
    operation.start()
    #expect(ran.value == 2)
    #expect(operation.isFinished)
  }

  @Test func anotherThreadMayStartIt() throws {
    let threads = EventLog<Int>()
    let operation = BodyOperation { _ in threads.append(kernelThreadNumber()) }
    let starter = try onPlainThread {
      operation.start()
      return kernelThreadNumber()
    }
    #expect(threads.all == [starter])
    #expect(operation.isFinished)
  }

  // MARK: In a queue

  @Test func inAQueueItGoesFromReadyThroughExecutingToFinished() throws {
    let queue = OperationQueue.suspended()
    let isInside = Gate("inside"), mayEnd = Gate("end")
    let operation = BodyOperation.passing(mayEnd, isInside)
    queue.addOperation(operation)
    #expect(operation.isReady)
    #expect(operation.states == [false, false, false])
    queue.isSuspended = false
    try isInside.wait()
    #expect(operation.states == [true, false, false])
    mayEnd.open()
    operation.waitUntilFinished()
    #expect(operation.states == [false, true, false])
  }

  @Test func aQueueRunsItOnceOnAnotherThread() {
    let threads = EventLog<Int>()
    let queue = OperationQueue()
    queue.addOperation(BodyOperation { _ in threads.append(kernelThreadNumber()) })
    queue.waitUntilAllOperationsAreFinished()
    #expect(threads.count == 1)
    #expect(threads.all.first != kernelThreadNumber())
  }

  @Test func propertiesMayBeChangedFromWithin() {
    let operation = BodyOperation {
      $0.name = "named from within"
      $0.queuePriority = .high
    }
    operation.start()
    #expect(operation.name == "named from within")
    #expect(operation.queuePriority == .high)
  }

  // MARK: Life

  @Test func aFinishedOperationIsFreedWithAllItHolds() throws {
    let tracker = LeakTracker()
    let watch = WeakWatch()
    let queue = OperationQueue()
    for number in 0..<60 {
      let object = tracker.makeObject()
      let operation: Operation =
        number % 2 == 0 ? BodyOperation { _ in object.touch() } : BlockOperation { object.touch() }
      operation.completionBlock = { object.touch() }
      watch.watch(operation)
      switch number % 3 {
      case 0: operation.start()
      case 1: queue.addOperation(operation)
      default: operation.cancel()
      }
    }
    try watch.waitUntilAllAreFreed()
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 60)
  }

  @Test func aQueueKeepsItsOperationsUntilTheyAreFinished() throws {
    let watch = WeakWatch()
    let ran = EventCounter("runs")
    let queue = OperationQueue.suspended()
    for _ in 0..<10 { queue.addOperation(watch.watch(BodyOperation { _ in ran.increment() })) }
    #expect(watch.alive == 10)
    queue.isSuspended = false
    try ran.wait(for: 10)
    try watch.waitUntilAllAreFreed()
  }
}
