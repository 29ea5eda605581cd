// OperationTests — D2, D3, D8 and D29: faults of the toolchain's operations.

import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct OperationTests {
  /// D2. With the toolchain the dependent never becomes ready.
  @Test func operationIsReadyAsSoonAsTheDependencyIsRemoved() throws {
    let queue = OperationQueue()
    let ran = EventCounter("operations that ran")
    let missing = BlockOperation {}
    let operation = BlockOperation { ran.increment() }
    operation.addDependency(missing)
    queue.addOperation(operation)
    #expect(!operation.isReady)
    operation.removeDependency(missing)
    try ran.wait(for: 1)
    #expect(!missing.isFinished)
  }

  /// D3. With the toolchain the blocks run one after another: these would wait forever.
  @Test func blocksOfAnOperationRunConcurrently() throws {
    let count = 8
    let inside = EventCounter("blocks at work")
    let operation = BlockOperation()
    for _ in 0..<count {
      operation.addExecutionBlock {
        inside.increment()
        inside.pass(count)
      }
    }
    OperationQueue().addOperation(operation)
    try inside.wait(for: count)
    operation.waitUntilFinished()
  }

  /// D8. With the toolchain the class of an operation has no effect.
  @Test func classOfAnOperationAppliesToItsWork() {
    let classes: [(QualityOfService, qos_class_t)] = [
      (.userInteractive, QOS_CLASS_USER_INTERACTIVE), (.userInitiated, QOS_CLASS_USER_INITIATED),
      (.default, QOS_CLASS_DEFAULT), (.utility, QOS_CLASS_UTILITY),
      (.background, QOS_CLASS_BACKGROUND),
    ]
    let queue = OperationQueue()
    for (quality, expected) in classes {
      let found = Guarded(QOS_CLASS_UNSPECIFIED)
      let operation = BlockOperation { found.withValue { $0 = qos_class_self() } }
      operation.qualityOfService = quality
      queue.addOperation(operation)
      operation.waitUntilFinished()
      #expect(found.current == expected, "\(quality)")
    }
  }

  /// D29. With the toolchain a chain costs the square of its length.
  @Test(arguments: [false, true])
  func longChainRunsInOrder(_ isAddedFromItsEnd: Bool) {
    let count = 100_000
    let reached = Guarded(0)
    let outOfOrder = EventCounter("operations out of order")
    var operations: [Operation] = []
    for number in 0..<count {
      let operation = BlockOperation {
        reached.withValue {
          if $0 != number { outOfOrder.increment() }
          $0 = number + 1
        }
      }
      if let last = operations.last { operation.addDependency(last) }
      operations.append(operation)
    }
    let queue = OperationQueue()
    for operation in isAddedFromItsEnd ? operations.reversed() : operations {
      queue.addOperation(operation)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(reached.current == count)
    #expect(outOfOrder.value == 0)
    #expect(queue.operationCount == 0)
  }
}
