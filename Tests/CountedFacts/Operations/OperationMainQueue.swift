// OperationMainQueue — operations of the main queue, in a program with a free main thread.

import Glibc
import SignalboxDispatch
import SignalboxOperations

package enum OperationMainQueueScenario: String, CountedScenario {
  case operationsOnTheMainQueue = "operations-on-the-main-queue"
}

extension OperationMainQueueScenario: Scenario {
  func run() {
    switch self {
    case .operationsOnTheMainQueue:
      let main = OperationQueue.main
      report("outside", OperationQueue.current === main ? "main" : "another")
      let ran = Tally(), onMain = Tally(), inMain = Tally(), disorders = Tally()
      let between = Tally()
      for number in 0..<60 {
        let body: @Sendable () -> Void = {
          if ran.count != number { disorders.increment() }
          ran.increment()
          if Thread.isMainThread { onMain.increment() }
          if OperationQueue.current === main { inMain.increment() }
        }
        if number == 30 {
          // The item takes its turn among the items of the dispatch queue.
          DispatchQueue.main.async { between.add(ran.count) }
        }
        if number % 2 == 0 {
          main.addOperation(body)
        } else {
          main.addOperation(BlockOperation(block: body))
        }
      }
      let elsewhere = OperationQueue()
      elsewhere.addOperation { sleepInKernel(milliseconds: 50) }
      elsewhere.waitUntilAllOperationsAreFinished()
      report("beforeTheLoop", ran.count)
      let last = BlockOperation {
        report("ran", ran.count)
        report("inOrder", disorders.count == 0)
        report("onTheMainThread", onMain.count)
        report("inTheMainQueue", inMain.count)
        report("betweenItsItems", (1..<60).contains(between.count))
        exit(0)
      }
      let dependency = BlockOperation {}
      last.addDependency(dependency)
      main.addOperation(last)
      elsewhere.addBarrierBlock {
        // All operations of the main queue were added before.
        main.addOperation(dependency)
      }
      dispatchMain()
    }
  }
}
