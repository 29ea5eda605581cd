// Operations — what operations hold and leave behind: threads, bytes, wake-ups; and the cost of
// large numbers of them.

import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxThreads

package enum OperationScenario: String, CountedScenario {
  case threadsOfWaitingOperations = "threads-of-waiting-operations"
  case threadsOfAsynchronousOperations = "threads-of-asynchronous-operations"
  case blocksWithoutAnotherWorker = "blocks-without-another-worker"
  case costOfAQueuedBlock = "cost-of-a-queued-block"
  case costOfAQueuedOperation = "cost-of-a-queued-operation"
  case costOfAQueuedOperationWithADependency = "cost-of-a-queued-operation-with-a-dependency"
  case operationsAreFreed = "operations-are-freed"
  case operationQueuesAreFreed = "operation-queues-are-freed"
  case wakeUpsOfIdleOperationQueues = "wake-ups-of-idle-operation-queues"
  case aMillionOperations = "a-million-operations"
  case aMillionOperationsCancelled = "a-million-operations-cancelled"
}

extension OperationScenario: Scenario {
  func run() {
    switch self {
    // MARK: Threads and bytes
    // Half of them wait in a suspended queue, half for a running operation.
    case .threadsOfWaitingOperations:
      let count = integerArgument(0, default: 100_000)
      let ran = Tally()
      let suspended = OperationQueue(), queue = OperationQueue()
      suspended.isSuspended = true
      let first = Later()
      queue.addOperation(first)
      first.isStarted.wait()
      for number in 0..<count {
        let operation = BlockOperation { ran.increment() }
        if number % 2 == 0 {
          suspended.addOperation(operation)
        } else {
          operation.addDependency(first)
          queue.addOperation(operation)
        }
      }
      sleepInKernel(milliseconds: 200)
      report("ranWhileWaiting", ran.count)
      report("queued", suspended.operationCount + queue.operationCount)
      report("threads", threadNumbers().count)
      first.finish()
      suspended.isSuspended = false
      for queue in [suspended, queue] { queue.waitUntilAllOperationsAreFinished() }
      report("ran", ran.count)
    // These operations execute without a thread, which is the purpose of an asynchronous
    // subclass.
    case .threadsOfAsynchronousOperations:
      let count = integerArgument(0, default: 10_000)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = count
      let operations = (0..<count).map { _ in Later() }
      queue.addOperations(operations, waitUntilFinished: false)
      for operation in operations { operation.isStarted.wait() }
      sleepInKernel(milliseconds: 200)
      report("executing", operations.count { $0.isExecuting })
      report("threads", threadNumbers().count)
      for operation in operations { operation.finish() }
      queue.waitUntilAllOperationsAreFinished()
      report("finished", operations.count { $0.isFinished })
    // The only worker is busy: no other worker takes the blocks.
    case .blocksWithoutAnotherWorker:
      let count = integerArgument(0, default: 10)
      let isHeld = Tally(), isOver = Tally(), ran = Tally()
      DispatchQueue.global().async {
        isHeld.increment()
        // Spins instead of blocking; otherwise the pool would start another worker.
        while isOver.count == 0 {}
      }
      while isHeld.count == 0 { sleepInKernel(milliseconds: 1) }
      for _ in 0..<count {
        let operation = BlockOperation { ran.increment() }
        operation.addExecutionBlock { ran.increment() }
        operation.addExecutionBlock { ran.increment() }
        operation.start()
      }
      report("ran", ran.count)
      isOver.increment()
    case .costOfAQueuedBlock:
      costOfQueued { queue, ran in
        for number in 0..<queuedCount {
          queue.addOperation { if number >= 0 { ran.increment() } }
        }
      }
    case .costOfAQueuedOperation:
      costOfQueued { queue, ran in
        for number in 0..<queuedCount { queue.addOperation(Counting(ran, number)) }
      }
    // Each depends on the one before it.
    case .costOfAQueuedOperationWithADependency:
      costOfQueued { queue, ran in
        var last: Operation?
        for number in 0..<queuedCount {
          let operation = Counting(ran, number)
          if let last { operation.addDependency(last) }
          queue.addOperation(operation)
          last = operation
        }
      }
    case .operationsAreFreed:
      leftovers(of: useOperations)
    case .operationQueuesAreFreed:
      leftovers(of: useOperationQueues)
    // MARK: Wake-ups
    case .wakeUpsOfIdleOperationQueues:
      let ran = Tally()
      let queues = (0..<4).map { _ in OperationQueue() }
      queues[1].maxConcurrentOperationCount = 1
      queues[2].isSuspended = true
      let underlying = DispatchQueue(label: "org.signalbox.facts.underlying")
      queues[3].underlyingQueue = underlying
      let never = Later()
      for queue in queues {
        for _ in 0..<100 { queue.addOperation { ran.increment() } }
        queue.addBarrierBlock { ran.increment() }
      }
      for number in [0, 1, 3] { queues[number].waitUntilAllOperationsAreFinished() }
      let waiting = BlockOperation { ran.increment() }
      waiting.addDependency(never)
      queues[0].addOperation(waiting)
      report("ran", ran.count)
      sleepInKernel(seconds: integerArgument(0, default: 10))
      let before = contextSwitches()
      sleepInKernel(seconds: integerArgument(1, default: 3))
      report("wakeUps", wakeUps(from: before, to: contextSwitches()))
      report("waiting", queues.reduce(0) { $0 + $1.operationCount })
    // MARK: Large numbers
    case .aMillionOperations:
      let count = integerArgument(0, default: 1_000_000)
      let ran = Tally()
      let queue = OperationQueue()
      queue.isSuspended = true
      let begin = milliseconds()
      for _ in 0..<count { queue.addOperation { ran.increment() } }
      report("queued", queue.operationCount)
      report("millisecondsToAdd", milliseconds() - begin)
      report("ranWhileSuspended", ran.count)
      let added = milliseconds()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      report("millisecondsToRun", milliseconds() - added)
      report("ran", ran.count)
      report("left", queue.operationCount)
    case .aMillionOperationsCancelled:
      let count = integerArgument(0, default: 1_000_000)
      let ran = Tally()
      let queue = OperationQueue()
      queue.isSuspended = true
      for _ in 0..<count { queue.addOperation { ran.increment() } }
      let begin = milliseconds()
      queue.cancelAllOperations()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      report("milliseconds", milliseconds() - begin)
      report("ran", ran.count)
      report("left", queue.operationCount)
    }
  }
}

private let queuedCount = integerArgument(0, default: 100_000)

/// Measures the bytes of each operation that `add` puts into a suspended queue.
private func costOfQueued(_ add: (OperationQueue, Tally) -> Void) {
  let ran = Tally()
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
  queue.isSuspended = true
  let inUse = bytesInUse()
  add(queue, ran)
  report("bytesInUse", Double(bytesInUse() - inUse) / Double(queuedCount))
  report("ranWhileSuspended", ran.count)
  queue.isSuspended = false
  queue.waitUntilAllOperationsAreFinished()
  report("ran", ran.count)
  // Memory kept for later is counted once, whatever was queued.
  wait { bytesInUse() - inUse <= 64 * 1024 }
  report("left", bytesInUse() - inUse)
}

private func useOperations(_ count: Int, _ ran: Tally) {
  let queue = OperationQueue()
  var last: Operation?
  for number in 0..<count {
    let operation =
      number % 2 == 0 ? Counting(ran, number) : BlockOperation { ran.increment() }
    operation.name = "a name that takes memory of its own"
    if number % 3 == 0 { operation.completionBlock = { _ = number } }
    if let last, number % 5 != 0 { operation.addDependency(last) }
    if number % 7 == 0, let last { operation.removeDependency(last) }
    queue.addOperation(operation)
    last = operation
  }
  queue.waitUntilAllOperationsAreFinished()
}

private func useOperationQueues(_ count: Int, _ ran: Tally) {
  inBatches(of: count) { numbers in
    let queues = numbers.map { number in
      let queue = OperationQueue()
      queue.name = "a name that takes memory of its own"
      if number % 3 == 0 { queue.maxConcurrentOperationCount = 1 }
      queue.addOperation { ran.increment() }
      queue.addBarrierBlock { ran.increment() }
      return queue
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }
}

/// A subclass with two words of its own.
private final class Counting: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable.
  private let ran: Tally
  private let number: Int

  init(_ ran: Tally, _ number: Int) {
    self.ran = ran
    self.number = number
    super.init()
  }

  override func main() { if number >= 0 { ran.increment() } }
}

/// An asynchronous subclass that finishes on request.
final class Later: Operation, @unchecked Sendable {
  // SAFETY: both are atomic.
  private let starts = Tally()
  private let ends = Tally()
  let isStarted = DispatchSemaphore(value: 0)

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { starts.count > 0 && ends.count == 0 }
  override var isFinished: Bool { ends.count > 0 }

  override func start() {
    if isCancelled { return finish() }
    willChangeValue(for: \.isExecuting)
    starts.increment()
    didChangeValue(for: \.isExecuting)
    isStarted.signal()
  }

  func finish() {
    let wasExecuting = isExecuting
    if wasExecuting { willChangeValue(for: \.isExecuting) }
    willChangeValue(for: \.isFinished)
    ends.increment()
    didChangeValue(for: \.isFinished)
    if wasExecuting { didChangeValue(for: \.isExecuting) }
  }
}
