// OperationHandOffs — what an operation passes to its dependents, to waiting threads and to its
// completion block, and what it receives from the thread that adds it.

import SignalboxDispatch
import SignalboxOperations

let operationHandOffs = [
  HandOff("operation-added") {
    let queue = OperationQueue()
    let ran = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      payload.value = round + 1
      queue.addOperation {
        expect(payload.value, round + 1, "what was written before it was added")
        ran.end()
      }
      work(round % 3)
    }
    ran.await(chanceRounds)
  },
  HandOff("operation-dependent") {
    let queues = [OperationQueue(), OperationQueue()]
    let ran = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      let first = BlockOperation {
        work(round % 3)
        payload.value = round + 1
      }
      let second = BlockOperation {
        expect(payload.value, round + 1, "what the dependency wrote")
        ran.end()
      }
      second.addDependency(first)
      queues[round % 2].addOperation(second)
      queues[0].addOperation(first)
      work(round % 2)
    }
    ran.await(chanceRounds)
  },
  HandOff("operation-that-has-finished-as-a-dependency") {
    let queue = OperationQueue()
    let payloads = (0..<chanceRounds).map { _ in Plain() }
    let ran = Turns()
    for round in 0..<chanceRounds {
      let first = BlockOperation { payloads[round].value = round + 1 }
      queue.addOperation(first)
      work(round)
      // By now it may or may not have finished.
      let second = BlockOperation {
        expect(payloads[round].value, round + 1, "what the dependency wrote")
        ran.end()
      }
      second.addDependency(first)
      queue.addOperation(second)
    }
    ran.await(chanceRounds)
  },
  HandOff("operation-waited-for") {
    let queue = OperationQueue()
    for round in 0..<chanceRounds {
      let payload = Plain()
      let operation = BlockOperation {
        work(round)
        payload.value = round + 1
      }
      queue.addOperation(operation)
      work(round / 4)
      operation.waitUntilFinished()
      expect(payload.value, round + 1, "what the operation wrote")
    }
  },
  HandOff("operation-that-is-seen-to-have-finished") {
    let queue = OperationQueue()
    for round in 0..<chanceRounds {
      let payload = Plain()
      let operation = BlockOperation { payload.value = round + 1 }
      queue.addOperation(operation)
      while !operation.isFinished {}
      expect(payload.value, round + 1, "what the operation wrote")
    }
  },
  HandOff("operation-completion") {
    let queue = OperationQueue()
    let told = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      let operation = BlockOperation { payload.value = round + 1 }
      operation.completionBlock = {
        expect(payload.value, round + 1, "what the operation wrote")
        told.end()
      }
      queue.addOperation(operation)
      work(round % 2)
    }
    told.await(chanceRounds)
  },
  HandOff("operations-all-waited-for") {
    let queue = OperationQueue()
    for round in 0..<chanceRounds / 4 {
      let payloads = (0..<4).map { _ in Plain() }
      for (number, payload) in payloads.enumerated() {
        queue.addOperation {
          work((round + number) % 3)
          payload.value = round + 1
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      for payload in payloads { expect(payload.value, round + 1, "what an operation wrote") }
    }
  },
  HandOff("operations-one-after-the-other") {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    contended { _, round, count in
      queue.addOperation { count.value += 1 }
      if round % 16 == 0 { work(round / 16) }
      if round == chanceRounds - 1 { queue.waitUntilAllOperationsAreFinished() }
    }
  },
  HandOff("operation-barrier") {
    let queue = OperationQueue()
    contended { thread, round, count in
      queue.addBarrierBlock { count.value += 1 }
      queue.addOperation {
        _ = count.value
        if round % 16 == 0 { work(round / 16) }
      }
      if round % 32 == 0 { work(round / 32) }
      if round == chanceRounds - 1 { queue.waitUntilAllOperationsAreFinished() }
    }
  },
  HandOff("operation-blocks") {
    let queue = OperationQueue()
    for round in 0..<chanceRounds / 4 {
      let payloads = (0..<3).map { _ in Plain() }
      let before = Plain()
      before.value = round
      let operation = BlockOperation()
      for (number, payload) in payloads.enumerated() {
        operation.addExecutionBlock {
          work((round + number) % 3)
          payload.value = before.value + 1
        }
      }
      queue.addOperation(operation)
      operation.waitUntilFinished()
      for payload in payloads { expect(payload.value, round + 1, "what a block wrote") }
    }
  },
  // The operation ends on another thread than it started.
  HandOff("operation-that-finishes-elsewhere") {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let ran = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      let operation = ElsewhereOperation {
        work(round % 3)
        payload.value = round + 1
      }
      let dependent = BlockOperation {
        expect(payload.value, round + 1, "what was written before it finished")
        ran.end()
      }
      dependent.addDependency(operation)
      queue.addOperations([dependent, operation], waitUntilFinished: false)
    }
    ran.await(chanceRounds)
  },
  HandOff("operation-whose-dependency-is-removed") {
    let queue = OperationQueue()
    let never = BlockOperation {}
    let ran = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      let operation = BlockOperation {
        expect(payload.value, round + 1, "what was written before the removal")
        ran.end()
      }
      operation.addDependency(never)
      queue.addOperation(operation)
      work(round % 2)
      payload.value = round + 1
      operation.removeDependency(never)
    }
    ran.await(chanceRounds)
  },
  HandOff("operation-queue-that-is-resumed") {
    let queue = OperationQueue()
    let ran = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      queue.isSuspended = true
      queue.addOperation {
        expect(payload.value, round + 1, "what was written before the queue was resumed")
        ran.end()
      }
      payload.value = round + 1
      queue.isSuspended = false
      if round % 8 == 0 { queue.waitUntilAllOperationsAreFinished() }
    }
    ran.await(chanceRounds)
  },
]

/// An asynchronous subclass whose body and end run on another thread than its start.
private final class ElsewhereOperation: Operation, @unchecked Sendable {
  // SAFETY: `phase` only grows; the body is immutable.
  private let phase = Turns()
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { phase.now == 1 }
  override var isFinished: Bool { phase.now == 2 }

  override func start() {
    willChangeValue(for: \.isExecuting)
    phase.end()
    didChangeValue(for: \.isExecuting)
    DispatchQueue.global().async {
      self.body()
      self.willChangeValue(for: \.isExecuting)
      self.willChangeValue(for: \.isFinished)
      self.phase.end()
      self.didChangeValue(for: \.isExecuting)
      self.didChangeValue(for: \.isFinished)
    }
  }
}
