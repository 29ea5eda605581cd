// OperationChains — long chains of operations, each depending on the one before it, on threads
// with small stacks. Code that recurses from one operation to the next, to run or to free it,
// would overflow the stack.

import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxThreads

package enum OperationChainScenario: String, CountedScenario {
  case chainOfOperations = "chain-of-operations"
  case chainOfOperationsOfWidthOne = "chain-of-operations-of-width-one"
  case chainOfOperationsAddedBackwards = "chain-of-operations-added-backwards"
  case chainOfOperationsLinkedBackwards = "chain-of-operations-linked-backwards"
  case chainOfOperationsLinkedInAnyOrder = "chain-of-operations-linked-in-any-order"
  case chainOfOperationsOfWhichEachIsQueuedAtOnce =
    "chain-of-operations-of-which-each-is-queued-at-once"
  case chainOfOperationsStartedByHand = "chain-of-operations-started-by-hand"
  case chainOfOperationsThatIsCancelled = "chain-of-operations-that-is-cancelled"
  case chainOfCancelledOperationsBeforeOneThatRuns =
    "chain-of-cancelled-operations-before-one-that-runs"
  case chainOfOperationsThatNeverRuns = "chain-of-operations-that-never-runs"
}

extension OperationChainScenario: Scenario {
  func run() {
    switch self {
    case .chainOfOperations:
      onSmallStack { length in
        let chain = Chain(length)
        chain.add(to: OperationQueue())
        chain.last.waitUntilFinished()
        return chain.order
      }
    case .chainOfOperationsOfWidthOne:
      onSmallStack { length in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let chain = Chain(length)
        chain.add(to: queue)
        queue.waitUntilAllOperationsAreFinished()
        return chain.order
      }
    case .chainOfOperationsAddedBackwards:
      onSmallStack { length in
        let chain = Chain(length)
        let queue = OperationQueue()
        for operation in chain.operations.reversed() { queue.addOperation(operation) }
        queue.waitUntilAllOperationsAreFinished()
        return chain.order
      }
    case .chainOfOperationsLinkedBackwards:
      onSmallStack { length in
        let chain = Chain(length, linking: .backwards)
        chain.add(to: OperationQueue())
        chain.last.waitUntilFinished()
        return chain.order
      }
    case .chainOfOperationsLinkedInAnyOrder:
      onSmallStack { length in
        let chain = Chain(length, linking: .anyhow)
        chain.add(to: OperationQueue())
        chain.last.waitUntilFinished()
        return chain.order
      }
    case .chainOfOperationsOfWhichEachIsQueuedAtOnce:
      onSmallStack { length in
        let order = Order()
        let queue = OperationQueue()
        var last: Operation?
        for number in 0..<length {
          let operation = Linked(number, order)
          if let last { operation.addDependency(last) }
          queue.addOperation(operation)
          last = operation
        }
        queue.waitUntilAllOperationsAreFinished()
        return order
      }
    case .chainOfOperationsStartedByHand:
      onSmallStack { length in
        let chain = Chain(length)
        for operation in chain.operations { operation.start() }
        return chain.order
      }
    case .chainOfOperationsThatIsCancelled:
      onSmallStack(runs: false) { length in
        let queue = OperationQueue()
        queue.isSuspended = true
        let chain = Chain(length)
        chain.add(to: queue)
        queue.cancelAllOperations()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        return chain.order
      }
    // The operation that all others wait for, one behind another, ends last.
    case .chainOfCancelledOperationsBeforeOneThatRuns:
      onSmallStack(runs: false) { length in
        let queue = OperationQueue()
        let chain = Chain(length)
        let first = Later()
        chain.operations[0].addDependency(first)
        chain.add(to: queue)
        for operation in chain.operations.reversed() { operation.cancel() }
        queue.waitUntilAllOperationsAreFinished()
        first.finish()
        return chain.order
      }
    case .chainOfOperationsThatNeverRuns:
      onSmallStack(runs: false) { length in Chain(length).order }
    }
  }
}

/// Builds, runs and frees a chain of operations on a thread with 64 KiB of stack. The argument
/// is the length.
private func onSmallStack(
  runs: Bool = true, _ body: @escaping @Sendable (_ length: Int) -> Order
) {
  let length = integerArgument(0, default: 100_000)
  let thread = JoinableThread { () -> Double in
    let begin = milliseconds()
    let order = body(length)
    if order.next.count != (runs ? length : 0) { fail("\(order.next.count) of \(length) ran") }
    return milliseconds() - begin
  }
  thread.thread.stackSize = 64 << 10
  thread.start()
  report("milliseconds", thread.join())
  // The worker that ran the last operations may still be freeing them.
  wait { links.count == 0 }
  report("alive", links.count)
  report("ran", runs ? length : 0)
}

private let links = Tally()

/// Counts the operations that ran in order.
private final class Order: Sendable {
  let next = Tally()

  func came(_ number: Int) {
    if next.increment() != number + 1 { fail("\(number) came out of its turn") }
  }
}

private final class Linked: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable.
  private let number: Int
  private let order: Order

  init(_ number: Int, _ order: Order) {
    self.number = number
    self.order = order
    super.init()
    links.increment()
  }

  deinit { links.decrement() }

  override func main() { order.came(number) }
}

private struct Chain {
  enum Linking { case forwards, backwards, anyhow }

  let operations: [Operation]
  let order = Order()

  var last: Operation { operations[operations.count - 1] }

  init(_ length: Int, linking: Linking = .forwards) {
    let order = order
    operations = (0..<length).map { Linked($0, order) }
    var indices = Array(1..<length)
    switch linking {
    case .forwards: break
    case .backwards: indices.reverse()
    case .anyhow: indices.shuffle()
    }
    for index in indices { operations[index].addDependency(operations[index - 1]) }
  }

  func add(to queue: OperationQueue) {
    queue.addOperations(operations, waitUntilFinished: false)
  }
}
