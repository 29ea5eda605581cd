// OperationChains — long chains of operations, each depending on the one before it, on threads
// with small stacks. Code that recurses from one operation to the next, to run or to free it,
// would overflow the stack.

import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxThreads

let operationChainScenarios: [String: Scenario] = [
  "chain-of-operations": {
    onSmallStack { length in
      let chain = Chain(length)
      chain.add(to: OperationQueue())
      chain.last.waitUntilFinished()
      return chain.order
    }
  },
  "chain-of-operations-of-width-one": {
    onSmallStack { length in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let chain = Chain(length)
      chain.add(to: queue)
      queue.waitUntilAllOperationsAreFinished()
      return chain.order
    }
  },
  "chain-of-operations-added-backwards": {
    onSmallStack { length in
      let chain = Chain(length)
      let queue = OperationQueue()
      for operation in chain.operations.reversed() { queue.addOperation(operation) }
      queue.waitUntilAllOperationsAreFinished()
      return chain.order
    }
  },
  "chain-of-operations-linked-backwards": {
    onSmallStack { length in
      let chain = Chain(length, linking: .backwards)
      chain.add(to: OperationQueue())
      chain.last.waitUntilFinished()
      return chain.order
    }
  },
  "chain-of-operations-linked-in-any-order": {
    onSmallStack { length in
      let chain = Chain(length, linking: .anyhow)
      chain.add(to: OperationQueue())
      chain.last.waitUntilFinished()
      return chain.order
    }
  },
  "chain-of-operations-of-which-each-is-queued-at-once": {
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
  },
  "chain-of-operations-started-by-hand": {
    onSmallStack { length in
      let chain = Chain(length)
      for operation in chain.operations { operation.start() }
      return chain.order
    }
  },
  "chain-of-operations-that-is-cancelled": {
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
  },
  // The operation that all others wait for, one behind another, ends last.
  "chain-of-cancelled-operations-before-one-that-runs": {
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
  },
  "chain-of-operations-that-never-runs": {
    onSmallStack(runs: false) { length in Chain(length).order }
  },
]

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
    var places = Array(1..<length)
    switch linking {
    case .forwards: break
    case .backwards: places.reverse()
    case .anyhow: places.shuffle()
    }
    for place in places { operations[place].addDependency(operations[place - 1]) }
  }

  func add(to queue: OperationQueue) {
    queue.addOperations(operations, waitUntilFinished: false)
  }
}
