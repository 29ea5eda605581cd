// AsynchronousOperationTests — subclasses that keep their own state and report its changes.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct AsynchronousOperationTests {
  @Test func anOperationExecutesUntilItReportsThatItHasFinished() throws {
    try withEvery("spelling", in: ManualOperation.Spelling.allCases) { spelling in
      let queue = OperationQueue()
      let completions = EventCounter("completions")
      let operation = ManualOperation(spelling), dependent = Operation()
      operation.completionBlock = { completions.increment() }
      dependent.addDependency(operation)
      queue.addOperations([operation, dependent], waitUntilFinished: false)
      try operation.isStarted.wait()
      letRealTimePass(RealTime.settling)
      #expect(operation.isAsynchronous)
      #expect(operation.states == [true, false, false])
      #expect(queue.operations == [operation, dependent])
      #expect(!dependent.isReady)
      #expect(completions.value == 0)
      operation.finish()
      queue.waitUntilAllOperationsAreFinished()
      #expect(operation.states == [false, true, false])
      #expect(dependent.isFinished)
      #expect(queue.operationCount == 0)
      try completions.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(completions.value == 1)
    }
  }

  @Test func itKeepsItsPlaceInTheWidth() throws {
    try withEvery("spelling", in: ManualOperation.Spelling.allCases) { spelling in
      let queue = OperationQueue.width(2)
      let operations = (0..<6).map { _ in ManualOperation(spelling) }
      queue.addOperations(operations, waitUntilFinished: false)
      for number in operations.indices {
        try operations[number].isStarted.wait()
        if number + 1 < operations.count { try operations[number + 1].isStarted.wait() }
        letRealTimePass(RealTime.settling)
        #expect(operations.count { $0.isStarted.isOpened } == min(number + 2, operations.count))
        operations[number].finish()
      }
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  @Test func anOperationMayFinishOnAnyThread() throws {
    let elsewhere = DispatchQueue(label: "test.elsewhere")
    let queue = OperationQueue.width(1)
    let ran = EventCounter("runs")
    for number in 0..<90 {
      queue.addOperation(
        ManualOperation(ManualOperation.Spelling.allCases[number % 2]) { operation in
          ran.increment()
          switch number % 3 {
          case 0: operation.finish()
          case 1: elsewhere.async { operation.finish() }
          default: DispatchQueue.global().async { operation.finish() }
          }
        })
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 90)
  }

  @Test func startedByHandItReturnsBeforeItsEnd() throws {
    let operation = ManualOperation(), dependent = Operation()
    dependent.addDependency(operation)
    operation.start()
    #expect(operation.states == [true, false, false])
    let waiter = try PlainThread { operation.waitUntilFinished() }
    operation.finish()
    try waiter.join()
    #expect(dependent.isReady)
  }

  /// The queue does not ask whether the operation is asynchronous.
  @Test func aQueueAlwaysStartsItOnAnotherThread() throws {
    let queue = OperationQueue()
    let threads = EventLog<Int>()
    let operation = ManualOperation {
      threads.append(kernelThreadNumber())
      $0.finish()
    }
    queue.addOperations([operation], waitUntilFinished: true)
    #expect(threads.count == 1)
    #expect(threads.all != [kernelThreadNumber()])
  }

  @Test func anOperationCancelledBeforeItsStartIsStartedToFinish() throws {
    let queue = OperationQueue.suspended()
    let completions = EventCounter("completions")
    let operation = ManualOperation()
    operation.completionBlock = { completions.increment() }
    queue.addOperation(operation)
    operation.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.states == [false, true, true])
    #expect(!operation.isStarted.isOpened)
    try completions.wait(for: 1)
  }

  @Test func anOperationCancelledWhileItExecutesFinishesItself() throws {
    let queue = OperationQueue()
    let operation = ManualOperation()
    queue.addOperation(operation)
    try operation.isStarted.wait()
    queue.cancelAllOperations()
    #expect(operation.states == [true, false, true])
    operation.finish()
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.states == [false, true, true])
  }

  @Test func aBarrierWaitsForItsEnd() throws {
    let queue = OperationQueue()
    let operation = ManualOperation()
    let ran = EventCounter("barriers")
    queue.addOperation(operation)
    queue.addBarrierBlock { ran.increment() }
    try operation.isStarted.wait()
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    operation.finish()
    try ran.wait(for: 1)
  }

  @Test func itIsFreedWhenItHasFinished() throws {
    let watch = WeakWatch()
    let queue = OperationQueue()
    let all = Guarded<[ManualOperation]>([])
    for _ in 0..<20 {
      queue.addOperation(
        watch.watch(ManualOperation { operation in all.withValue { $0.append(operation) } }))
    }
    #expect(all.wait(limit: RealTime.wedge) { $0.count == 20 })
    for operation in all.current { operation.finish() }
    all.withValue { $0 = [] }
    try watch.waitUntilAllAreFreed()
  }

  // MARK: Readiness of its own

  private final class Invited: Operation, @unchecked Sendable {
    // SAFETY: the properties that it adds to `Operation` are immutable.
    private let isInvited = Guarded(false)
    let ran = EventCounter("runs")

    override var isReady: Bool { super.isReady && isInvited.current }

    func invite() {
      willChangeValue(for: \.isReady)
      isInvited.withValue { $0 = true }
      didChangeValue(for: \.isReady)
    }

    override func main() { ran.increment() }
  }

  @Test func aSubclassMayReportWhenItIsReady() throws {
    let queue = OperationQueue.width(1)
    let operation = Invited(), other = Operation()
    queue.addOperations([operation, other], waitUntilFinished: false)
    other.waitUntilFinished()
    letRealTimePass(RealTime.settling)
    #expect(operation.ran.value == 0)
    #expect(queue.operations == [operation])
    operation.invite()
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.ran.value == 1)
  }

  @Test func readinessOfASubclassCountsInAdditionToDependencies() throws {
    let queue = OperationQueue()
    let operation = Invited()
    let dependency = ManualOperation()
    operation.addDependency(dependency)
    queue.addOperation(operation)
    operation.invite()
    letRealTimePass(RealTime.settling)
    #expect(operation.ran.value == 0)
    dependency.finish()
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.ran.value == 1)
  }

  // MARK: Other overrides

  /// A subclass may do something before and after `super.start()`.
  private final class Wrapping: Operation, @unchecked Sendable {
    // SAFETY: the properties that it adds to `Operation` are immutable.
    let log = EventLog<String>()
    override func start() {
      log.append("before")
      super.start()
      log.append("after")
    }
    override func main() { log.append("main") }
  }

  @Test func aSubclassMayCallSuperStart() throws {
    let queue = OperationQueue()
    let operation = Wrapping()
    queue.addOperation(operation)
    #expect(try operation.log.wait(forCount: 3) == ["before", "main", "after"])
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.isFinished)
  }

  /// A subclass may continue its start elsewhere, for example on the main thread.
  private final class Moving: Operation, @unchecked Sendable {
    // SAFETY: the properties that it adds to `Operation` are immutable.
    let ran = EventCounter("runs")
    let place = DispatchQueue(label: "org.signalbox.tests.place")
    let waits: Bool

    init(waits: Bool) { self.waits = waits }

    override func start() {
      if DispatchQueue.getSpecific(key: Moving.key) == true { return super.start() }
      place.setSpecific(key: Moving.key, value: true)
      if waits { place.sync { super.start() } } else { place.async { self.start() } }
    }
    override func main() { ran.increment() }

    static let key = DispatchSpecificKey<Bool>()
  }

  @Test(arguments: [false, true], [false, true])
  func superStartMayBeCalledOnAnotherThread(waits: Bool, isCancelled: Bool) throws {
    let queue = OperationQueue.suspended()
    queue.maxConcurrentOperationCount = 1
    let operations = (0..<10).map { _ in Moving(waits: waits) }
    let dependent = Operation()
    for operation in operations {
      dependent.addDependency(operation)
      queue.addOperation(operation)
      if isCancelled { operation.cancel() }
    }
    queue.addOperation(dependent)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    for operation in operations {
      #expect(operation.isFinished)
      #expect(operation.ran.value == (isCancelled ? 0 : 1))
    }
    #expect(dependent.isFinished)
  }
}
