// OperationQueueWidthTests — how many operations of a queue run at once, and when none starts.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationQueueWidthTests {
  enum Kind: CaseIterable { case block, subclass, asynchronous }

  /// Operations that stay inside until they are released.
  private final class Visitors: Sendable {
    let inside = Occupancy()
    let entered = EventCounter("operations inside")
    let mayLeave = Gate()

    func makeOperation(_ kind: Kind) -> Operation {
      switch kind {
      case .block: BlockOperation { self.visit() }
      case .subclass: BodyOperation { _ in self.visit() }
      case .asynchronous:
        ManualOperation { operation in
          self.enter()
          Thread.detachNewThread {
            self.mayLeave.pass()
            self.inside.leave()
            operation.finish()
          }
        }
      }
    }

    private func enter() {
      inside.enter()
      entered.increment()
    }

    private func visit() {
      enter()
      mayLeave.pass()
      inside.leave()
    }
  }

  @Test func theWidthIsReachedAndNeverExceeded() throws {
    try withEvery("width", in: [1, 2, 3, 5]) { width in
      try withEvery("kind", in: Kind.allCases) { kind in
        let queue = OperationQueue.width(width)
        let visitors = Visitors()
        let operations = (0..<width + 7).map { _ in visitors.makeOperation(kind) }
        queue.addOperations(operations, waitUntilFinished: false)
        try visitors.entered.wait(for: width)
        letRealTimePass(RealTime.settling)
        #expect(visitors.inside.inside == width)
        #expect(operations.map(\.isExecuting) == operations.indices.map { $0 < width })
        visitors.mayLeave.open()
        queue.waitUntilAllOperationsAreFinished()
        #expect(visitors.inside.most == width)
        #expect(visitors.inside.entered == width + 7)
      }
    }
  }

  @Test func manyShortOperationsKeepTheWidth() throws {
    try withEvery("width", in: [1, 2, 4]) { width in
      let queue = OperationQueue.width(width)
      let inside = Occupancy()
      for _ in 0..<500 {
        queue.addOperation {
          inside.enter()
          inside.leave()
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      #expect(inside.entered == 500)
      #expect(inside.most <= width)
    }
  }

  /// They wait through the library, so that others take over.
  @Test func byDefaultWaitingOperationsDelayNoOther() throws {
    let queue = OperationQueue()
    let visitors = Visitors()
    for _ in 0..<16 { queue.addOperation(visitors.makeOperation(.block)) }
    try visitors.entered.wait(for: 16)
    visitors.mayLeave.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(visitors.inside.most == 16)
  }

  @Test func eachQueueHasItsOwnWidth() throws {
    let queues = [OperationQueue.width(1), .width(2), .width(1)]
    let visitors = queues.map { _ in Visitors() }
    for (queue, visitors) in zip(queues, visitors) {
      for _ in 0..<4 { queue.addOperation(visitors.makeOperation(.block)) }
    }
    for (queue, visitors) in zip(queues, visitors) {
      try visitors.entered.wait(for: queue.maxConcurrentOperationCount)
    }
    for visitors in visitors { visitors.mayLeave.open() }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
    #expect(visitors.map(\.inside.most) == [1, 2, 1])
  }

  // MARK: Changes

  @Test func aRaisedWidthStartsMoreAtOnce() throws {
    let queue = OperationQueue.width(1)
    let visitors = Visitors()
    for _ in 0..<10 { queue.addOperation(visitors.makeOperation(.block)) }
    for width in [1, 2, 4] {
      queue.maxConcurrentOperationCount = width
      try visitors.entered.wait(for: width)
      letRealTimePass(RealTime.settling)
      #expect(visitors.inside.inside == width)
    }
    queue.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
    try visitors.entered.wait(for: 10)
    visitors.mayLeave.open()
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func aLoweredWidthStopsNoRunningOperation() throws {
    let queue = OperationQueue.width(3)
    let first = Visitors(), second = Visitors()
    for _ in 0..<3 { queue.addOperation(first.makeOperation(.block)) }
    for _ in 0..<4 { queue.addOperation(second.makeOperation(.block)) }
    try first.entered.wait(for: 3)
    queue.maxConcurrentOperationCount = 1
    letRealTimePass(RealTime.settling)
    #expect(first.inside.inside == 3)
    first.mayLeave.open()
    try second.entered.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(second.inside.inside == 1)
    second.mayLeave.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(second.inside.most == 1)
    #expect(second.inside.entered == 4)
  }

  // MARK: Suspension

  @Test func aSuspendedQueueStartsNothing() throws {
    let queue = OperationQueue.suspended(width: 4)
    let ran = EventCounter("runs")
    for _ in 0..<20 { queue.addOperation { ran.increment() } }
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    #expect(queue.operationCount == 20)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 20)
  }

  @Test func runningOperationsContinueWhileTheQueueIsSuspended() throws {
    let queue = OperationQueue.width(1)
    let isInside = Gate("inside"), mayEnd = Gate("end")
    let running = BodyOperation.passing(mayEnd, isInside), waiting = Operation()
    queue.addOperations([running, waiting], waitUntilFinished: false)
    try isInside.wait()
    queue.isSuspended = true
    #expect(running.isExecuting)
    mayEnd.open()
    running.waitUntilFinished()
    letRealTimePass(RealTime.settling)
    #expect(!waiting.isFinished)
    #expect(queue.operations == [waiting])
    queue.isSuspended = false
    waiting.waitUntilFinished()
  }

  /// Suspension is a state, not a count.
  @Test func oneResumptionEndsManySuspensions() throws {
    let queue = OperationQueue()
    for _ in 0..<3 { queue.isSuspended = true }
    let ran = EventCounter("runs")
    queue.addOperation { ran.increment() }
    queue.isSuspended = false
    try ran.wait(for: 1)
  }

  @Test func anOperationMaySuspendItsQueue() throws {
    let queue = OperationQueue.width(1)
    let ran = EventCounter("runs")
    let suspending = BodyOperation { _ in queue.isSuspended = true }
    queue.addOperation(suspending)
    for _ in 0..<5 { queue.addOperation { ran.increment() } }
    suspending.waitUntilFinished()
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 5)
  }

  @Test func dependenciesOverASuspendedQueueWait() throws {
    let suspended = OperationQueue.suspended(), other = OperationQueue()
    let dependency = Operation(), dependent = Operation()
    dependent.addDependency(dependency)
    suspended.addOperation(dependency)
    other.addOperation(dependent)
    letRealTimePass(RealTime.settling)
    #expect(!dependent.isFinished)
    suspended.isSuspended = false
    dependent.waitUntilFinished()
  }
}
