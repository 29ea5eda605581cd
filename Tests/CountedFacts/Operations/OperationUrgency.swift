// OperationUrgency — which waiting operation starts first, and with which kernel priority it
// runs.

import Glibc
import SignalboxDispatch
import SignalboxOperations

package enum OperationUrgencyScenario: String, CountedScenario {
  case interactiveOperationAmongBackgroundOperations =
    "interactive-operation-among-background-operations"
  case interactiveOperationAmongUtilityOperationsOfOtherQueues =
    "interactive-operation-among-utility-operations-of-other-queues"
  case interactiveOperationQueueAmongBackgroundOnes =
    "interactive-operation-queue-among-background-ones"
  case operationThatSaysMoreThanItsQueue = "operation-that-says-more-than-its-queue"
  case backgroundOperationOfItsOwnQueueThatAnInteractiveOneDependsOn =
    "background-operation-of-its-own-queue-that-an-interactive-one-depends-on"
  case backgroundOperationThatAnInteractiveOneDependsOn =
    "background-operation-that-an-interactive-one-depends-on"
  case backgroundOperationThatAnInteractiveOneComesToDependOn =
    "background-operation-that-an-interactive-one-comes-to-depend-on"
  case niceValuesOfOperations = "nice-values-of-operations"
}

extension OperationUrgencyScenario: Scenario {
  func run() {
    switch self {
    case .interactiveOperationAmongBackgroundOperations:
      let queue = OperationQueue()
      reportPlace(
        lower: { work in queue.addOperation(operation(.background, work)) },
        higher: { work in queue.addOperation(operation(.userInteractive, work)) })
    case .interactiveOperationAmongUtilityOperationsOfOtherQueues:
      reportPlace(
        lower: { work in OperationQueue().addOperation(operation(.utility, work)) },
        higher: { work in OperationQueue().addOperation(operation(.userInteractive, work)) })
    case .interactiveOperationQueueAmongBackgroundOnes:
      reportPlace(
        lower: { work in queue(.background).addOperation(work) },
        higher: { work in queue(.userInteractive).addOperation(work) })
    case .operationThatSaysMoreThanItsQueue:
      let background = queue(.background)
      reportPlace(
        lower: { work in background.addOperation(work) },
        higher: { work in queue(.background).addOperation(operation(.userInteractive, work)) })
    // The interactive operation cannot start before the background one has ended.
    case .backgroundOperationOfItsOwnQueueThatAnInteractiveOneDependsOn:
      reportPlace(
        lower: { work in OperationQueue().addOperation(operation(.utility, work)) },
        higher: { work in
          let dependency = operation(.background, work)
          let dependent = operation(.userInteractive) {}
          dependent.addDependency(dependency)
          OperationQueue().addOperation(dependency)
          OperationQueue().addOperation(dependent)
        })
    // The same, with the background operation behind all others in their queue.
    case .backgroundOperationThatAnInteractiveOneDependsOn:
      let lower = OperationQueue()
      reportPlace(
        lower: { work in lower.addOperation(operation(.utility, work)) },
        higher: { work in
          let dependency = operation(.background, work)
          let dependent = operation(.userInteractive) {}
          dependent.addDependency(dependency)
          lower.addOperation(dependency)
          OperationQueue().addOperation(dependent)
        })
    // The same through an operation between them; the dependency is added when all are queued.
    case .backgroundOperationThatAnInteractiveOneComesToDependOn:
      let lower = OperationQueue()
      reportPlace(
        lower: { work in lower.addOperation(operation(.utility, work)) },
        higher: { work in
          let first = operation(.background, work)
          let middle = operation(.background) {}
          let last = operation(.userInteractive) {}
          middle.addDependency(first)
          let queue = OperationQueue()
          queue.isSuspended = true
          queue.addOperations([last, middle], waitUntilFinished: false)
          lower.addOperation(first)
          last.addDependency(middle)
          queue.isSuspended = false
        })
    // The argument 1 runs without root's privileges.
    case .niceValuesOfOperations:
      report("main", Int(niceValue(of: getpid())))
      if integerArgument(0, default: 0) == 1 { dropPrivileges() }
      for quality in [
        QualityOfService.userInteractive, .userInitiated, .default, .utility, .background,
      ] {
        report("operation.\(quality)", niceOf(operation(quality) {}, in: OperationQueue()))
        report("queue.\(quality)", niceOf(operation(.default) {}, in: queue(quality)))
      }
      let underlying = DispatchQueue(label: "org.signalbox.facts.underlying", qos: .background)
      let over = OperationQueue()
      over.underlyingQueue = underlying
      over.qualityOfService = .userInitiated
      report("underlying", niceOf(operation(.default) {}, in: over))
      report("barrier", niceOfBarrier(in: queue(.background)))
    }
  }
}

private func queue(_ quality: QualityOfService) -> OperationQueue {
  let queue = OperationQueue()
  queue.qualityOfService = quality
  return queue
}

private func operation(
  _ quality: QualityOfService, _ work: @escaping @Sendable () -> Void
) -> BlockOperation {
  let operation = BlockOperation(block: work)
  operation.qualityOfService = quality
  return operation
}

private func niceOf(_ operation: BlockOperation, in queue: OperationQueue) -> Int {
  let found = Tally()
  operation.addExecutionBlock { found.add(Int(niceValue(of: 0))) }
  queue.addOperation(operation)
  queue.waitUntilAllOperationsAreFinished()
  return found.count
}

private func niceOfBarrier(in queue: OperationQueue) -> Int {
  let found = Tally()
  queue.addBarrierBlock { found.add(Int(niceValue(of: 0))) }
  queue.waitUntilAllOperationsAreFinished()
  return found.count
}
