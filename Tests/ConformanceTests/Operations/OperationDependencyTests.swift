// OperationDependencyTests — an operation runs after its dependencies.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationDependencyTests {
  // MARK: Readiness

  @Test func anOperationIsReadyWhenTheLastOfItsDependenciesHasFinished() throws {
    try withEvery("order", in: everyOrder(of: [0, 1, 2])) { order in
      let dependencies = (0..<3).map { _ in ManualOperation() }
      let dependent = Operation()
      for dependency in dependencies { dependent.addDependency(dependency) }
      for number in order {
        #expect(!dependent.isReady)
        dependencies[number].finish()
      }
      #expect(dependent.isReady)
      dependent.start()
      #expect(dependent.isFinished)
    }
  }

  @Test func itDoesNotMatterHowADependencyIsRun() throws {
    let queue = OperationQueue()
    try withEvery("in a queue", in: [false, true]) { isInQueue in
      let dependency = BodyOperation(), dependent = Operation()
      dependent.addDependency(dependency)
      #expect(!dependent.isReady)
      if isInQueue {
        queue.addOperation(dependency)
        dependency.waitUntilFinished()
      } else {
        dependency.start()
      }
      #expect(dependent.isReady)
    }
  }

  @Test func aFinishedDependencyDelaysNothing() {
    let dependency = Operation(), dependent = Operation()
    dependency.start()
    dependent.addDependency(dependency)
    #expect(dependent.isReady)
    dependent.start()
    #expect(dependent.isFinished)
  }

  // MARK: In queues

  @Test func aDependentStartsAfterItsDependencyInAnyQueue() throws {
    try withEvery("across queues", in: [false, true]) { isAcross in
      let first = OperationQueue()
      let second = isAcross ? OperationQueue() : first
      let log = EventLog<String>()
      let mayEnd = Gate()
      let dependency = BodyOperation { _ in
        mayEnd.pass()
        log.append("dependency")
      }
      let dependent = BodyOperation { _ in log.append("dependent") }
      dependent.addDependency(dependency)
      second.addOperation(dependent)
      first.addOperation(dependency)
      letRealTimePass(RealTime.settling)
      #expect(log.count == 0)
      #expect(!dependent.isReady)
      mayEnd.open()
      dependent.waitUntilFinished()
      #expect(log.all == ["dependency", "dependent"])
    }
  }

  @Test func aDependencyMayBeStartedByHand() throws {
    let queue = OperationQueue()
    let dependency = Operation(), dependent = Operation()
    dependent.addDependency(dependency)
    queue.addOperation(dependent)
    letRealTimePass(RealTime.settling)
    #expect(!dependent.isFinished)
    dependency.start()
    dependent.waitUntilFinished()
  }

  /// A waiting dependent does not count towards the queue's width.
  @Test func aWaitingDependentDelaysNoOtherOperation() throws {
    let queue = OperationQueue.width(1)
    let log = EventLog<String>()
    let dependency = BodyOperation { _ in log.append("dependency") }
    let dependent = BodyOperation { _ in log.append("dependent") }
    dependent.queuePriority = .veryHigh
    dependency.queuePriority = .veryLow
    dependent.addDependency(dependency)
    queue.addOperation(dependent)
    queue.addOperation { log.append("other") }
    queue.waitUntilOtherThan([dependent])
    #expect(log.all == ["other"])
    queue.addOperation(dependency)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["other", "dependency", "dependent"])
  }

  @Test func chainsRunInOrder() throws {
    let queues = [OperationQueue(), .width(1), .width(2)]
    let log = EventLog<Int>()
    let count = 300
    let chain = (0..<count).map { number in BodyOperation { _ in log.append(number) } }
    for number in 1..<count { chain[number].addDependency(chain[number - 1]) }
    for number in (0..<count).reversed() { queues[number % 3].addOperation(chain[number]) }
    chain[count - 1].waitUntilFinished()
    #expect(log.all == Array(0..<count))
  }

  @Test func aDiamondMeetsAtItsEnd() throws {
    for _ in 0..<50 {
      let queue = OperationQueue()
      let cells = (0..<4).map { _ in Unprotected(0) }
      let sum = Unprotected(0)
      let top = BodyOperation { _ in cells[0].value = 1 }
      let middle = (1...2).map { number in
        BodyOperation { _ in cells[number].value = cells[0].value + number }
      }
      let bottom = BodyOperation { _ in sum.value = cells[1].value * 10 + cells[2].value }
      for one in middle {
        one.addDependency(top)
        bottom.addDependency(one)
      }
      queue.addOperations([bottom, middle[1], middle[0], top], waitUntilFinished: true)
      #expect(sum.value == 23)
    }
  }

  @Test func manyDependOnOne() throws {
    let queue = OperationQueue()
    let ran = EventCounter("dependents")
    let one = ManualOperation()
    for _ in 0..<200 {
      let dependent = BodyOperation { _ in ran.increment() }
      dependent.addDependency(one)
      queue.addOperation(dependent)
    }
    queue.addOperation(one)
    try one.isStarted.wait()
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    one.finish()
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 200)
  }

  // MARK: The list

  /// Finished dependencies stay in the list.
  @Test func onlyRemovingTakesAnOperationFromTheList() {
    let dependencies = [Operation(), BlockOperation {}, BodyOperation()]
    let dependent = Operation()
    for dependency in dependencies { dependent.addDependency(dependency) }
    #expect(dependent.dependencies == dependencies)
    dependencies[0].start()
    dependencies[1].cancel()
    #expect(dependent.dependencies == dependencies)
    dependent.removeDependency(dependencies[0])
    #expect(dependent.dependencies == Array(dependencies[1...]))
  }

  @Test func theListKeepsADependencyAlive() {
    let dependent = Operation()
    dependent.addDependency(BodyOperation("kept"))
    #expect(dependent.dependencies.map(\.name) == ["kept"])
    dependent.dependencies[0].start()
    #expect(dependent.isReady)
  }

  @Test func addingADependencyTwiceHasNoFurtherEffect() {
    let dependency = Operation(), dependent = Operation()
    dependent.addDependency(dependency)
    dependent.addDependency(dependency)
    #expect(dependent.dependencies == [dependency])
    dependency.start()
    #expect(dependent.isReady)
    let other = Operation(), another = Operation()
    another.addDependency(other)
    another.addDependency(other)
    another.removeDependency(other)
    #expect(another.isReady)
  }

  @Test func dependenciesAreFreedWithTheirDependents() throws {
    let watch = WeakWatch()
    do {
      let dependent = watch.watch(Operation())
      for _ in 0..<5 { dependent.addDependency(watch.watch(Operation())) }
      let chain = (0..<5).map { _ in watch.watch(Operation()) }
      for (one, next) in zip(chain, chain.dropFirst()) { next.addDependency(one) }
      chain[0].start()
      dependent.removeDependency(dependent.dependencies[2])
    }
    try watch.waitUntilAllAreFreed()
    #expect(watch.watched == 11)
  }
}

extension OperationQueue {
  /// Waits until the queue holds only these operations.
  func waitUntilOtherThan(_ rest: [Operation]) {
    for operation in operations where !rest.contains(operation) { operation.waitUntilFinished() }
  }
}
