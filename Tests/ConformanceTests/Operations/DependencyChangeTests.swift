// DependencyChangeTests — dependencies removed or added while operations are unfinished.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct DependencyChangeTests {
  // MARK: Removal

  @Test func removingTheLastUnfinishedDependencyMakesReady() {
    let first = Operation(), second = Operation(), dependent = Operation()
    dependent.addDependency(first)
    dependent.addDependency(second)
    dependent.removeDependency(first)
    #expect(!dependent.isReady)
    dependent.removeDependency(second)
    #expect(dependent.isReady)
    #expect(dependent.dependencies.isEmpty)
    dependent.start()
    #expect(dependent.isFinished)
  }

  @Test func aRemovedDependencyDoesNotDelayAQueuedOperation() throws {
    let queue = OperationQueue()
    let never = ManualOperation()
    let dependents = (0..<20).map { _ in Operation() }
    for dependent in dependents { dependent.addDependency(never) }
    queue.addOperations(dependents, waitUntilFinished: false)
    letRealTimePass(RealTime.settling)
    #expect(queue.operationCount == 20)
    for dependent in dependents { dependent.removeDependency(never) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(dependents.allSatisfy { $0.isFinished })
    #expect(!never.isFinished)
  }

  /// The end of a removed dependency does not make the operation ready a second time.
  @Test func aRemovedDependencyMayFinishLater() throws {
    let queue = OperationQueue()
    let ran = EventCounter("runs")
    let removed = ManualOperation(), kept = ManualOperation()
    let dependent = BodyOperation { _ in ran.increment() }
    dependent.addDependency(removed)
    dependent.addDependency(kept)
    queue.addOperation(dependent)
    dependent.removeDependency(removed)
    removed.finish()
    letRealTimePass(RealTime.settling)
    #expect(!dependent.isReady)
    #expect(ran.value == 0)
    kept.finish()
    dependent.waitUntilFinished()
    #expect(ran.value == 1)
  }

  @Test func removingAnOperationThatIsNotADependencyChangesNothing() {
    let dependency = Operation(), dependent = Operation()
    dependent.addDependency(dependency)
    dependent.removeDependency(Operation())
    dependent.removeDependency(dependent)
    #expect(dependent.dependencies == [dependency])
    #expect(!dependent.isReady)
    dependency.start()
    dependent.removeDependency(dependency)
    dependent.removeDependency(dependency)
    #expect(dependent.isReady)
  }

  // MARK: Addition

  @Test func aDependencyAddedToAQueuedOperationDelaysIt() throws {
    let queue = OperationQueue.suspended()
    let ran = EventCounter("runs")
    let dependency = ManualOperation()
    let dependent = BodyOperation { _ in ran.increment() }
    queue.addOperation(dependent)
    dependent.addDependency(dependency)
    queue.isSuspended = false
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    dependency.finish()
    try ran.wait(for: 1)
  }

  @Test func aDependencyAddedToAWaitingOperationDelaysItToo() throws {
    let queue = OperationQueue()
    let ran = EventCounter("runs")
    let first = ManualOperation(), second = ManualOperation()
    let dependent = BodyOperation { _ in ran.increment() }
    dependent.addDependency(first)
    queue.addOperation(dependent)
    dependent.addDependency(second)
    first.finish()
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    second.finish()
    try ran.wait(for: 1)
  }

  @Test func aDependencyRemovedAndAddedAgainDelaysAgain() throws {
    let queue = OperationQueue.suspended()
    let ran = EventCounter("runs")
    let dependency = ManualOperation()
    let dependent = BodyOperation { _ in ran.increment() }
    dependent.addDependency(dependency)
    queue.addOperation(dependent)
    dependent.removeDependency(dependency)
    dependent.addDependency(dependency)
    queue.isSuspended = false
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    dependency.finish()
    try ran.wait(for: 1)
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 1)
  }

  @Test func aDependencyAddedToAnExecutingOperationHasNoEffect() throws {
    let queue = OperationQueue()
    let isInside = Gate("inside"), mayEnd = Gate("end")
    let operation = BodyOperation.passing(mayEnd, isInside)
    queue.addOperation(operation)
    try isInside.wait()
    operation.addDependency(ManualOperation())
    #expect(operation.isExecuting)
    mayEnd.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.isFinished)
  }

  @Test func aDependencyAddedToAFinishedOperationHasNoEffect() {
    let operation = Operation()
    operation.start()
    operation.addDependency(ManualOperation())
    #expect(operation.isFinished)
    operation.waitUntilFinished()
  }

  /// One operation ends while another is removed; whichever is last makes the dependent
  /// ready.
  @Test func finishAndRemovalAtTheSameTimeMakeReadyOnce() throws {
    let queue = OperationQueue()
    let ran = EventCounter("runs")
    let rounds = 300
    for _ in 0..<rounds {
      let first = ManualOperation(), second = ManualOperation()
      let dependent = BodyOperation { _ in ran.increment() }
      dependent.addDependency(first)
      dependent.addDependency(second)
      queue.addOperation(dependent)
      try runThreads(2) { index in
        if index == 0 { first.finish() } else { dependent.removeDependency(second) }
      }
      dependent.waitUntilFinished()
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == rounds)
  }
}
