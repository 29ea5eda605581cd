// OperationQueues — every member of the queue.

import Foundation

enum OperationQueues {
  static func run() {
    attributes()
    let lines = Lines()
    submission(lines)
    suspension(lines)
    barriers(lines)
    underlying(lines)
    mainQueue(lines)
    derived(lines)
  }

  static func attributes() {
    let queue = OperationQueue()
    print(queue.maxConcurrentOperationCount == OperationQueue.defaultMaxConcurrentOperationCount)
    print(OperationQueue.defaultMaxConcurrentOperationCount, queue.isSuspended)
    queue.maxConcurrentOperationCount = 3
    queue.name = "corpus.queue"
    queue.qualityOfService = .utility
    print(queue.maxConcurrentOperationCount, queue.name ?? "no name")
    print(queue.qualityOfService == .utility, queue.operations.count, queue.operationCount)
    print(queue.underlyingQueue == nil, OperationQueue.current == nil)
    print(OperationQueue.main === OperationQueue.main)
    print(OperationQueue.main.maxConcurrentOperationCount)
    print(OperationQueue.main.underlyingQueue?.label ?? "none")
  }

  static func submission(_ lines: Lines) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.addOperation { lines.add("a block; current: \(OperationQueue.current === queue)") }
    queue.addOperation(BlockOperation { lines.add("an operation") })
    queue.addOperations(
      [BlockOperation { lines.add("one of two") }, BlockOperation { lines.add("two of two") }],
      waitUntilFinished: true)
    lines.show()
    queue.addOperations([BlockOperation { lines.add("not waited for") }], waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
    print(queue.operationCount, queue.operations)
    lines.show()
  }

  static func suspension(_ lines: Lines) {
    let queue = OperationQueue()
    queue.isSuspended = true
    let operations = (0..<4).map { number in BlockOperation { lines.add("operation \(number)") } }
    queue.addOperations(operations, waitUntilFinished: false)
    print(queue.isSuspended, queue.operationCount, queue.operations.count, lines.count)
    operations[2].cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    lines.show(sorted: true)
    queue.isSuspended = true
    queue.addOperation { lines.add("never") }
    queue.cancelAllOperations()
    print(queue.operations.allSatisfy(\.isCancelled), queue.operationCount)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    print(lines.count, queue.operationCount)
  }

  static func barriers(_ lines: Lines) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    for _ in 0..<3 { queue.addOperation { lines.add("before") } }
    queue.addBarrierBlock { lines.add("barrier") }
    for _ in 0..<3 { queue.addOperation { lines.add("after") } }
    queue.waitUntilAllOperationsAreFinished()
    lines.show()
  }

  static func underlying(_ lines: Lines) {
    let serial = DispatchQueue(label: "corpus.underlying")
    let key = DispatchSpecificKey<String>()
    serial.setSpecific(key: key, value: "on the queue beneath")
    let queue = OperationQueue()
    queue.underlyingQueue = serial
    print(queue.underlyingQueue?.label ?? "none")
    queue.addOperation { lines.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
    queue.waitUntilAllOperationsAreFinished()
    lines.show()
    queue.underlyingQueue = nil
    print(queue.underlyingQueue == nil)
  }

  static func mainQueue(_ lines: Lines) {
    OperationQueue.main.addOperation {
      lines.add("main: \(Thread.isMainThread), \(OperationQueue.current === OperationQueue.main)")
    }
    let queue = OperationQueue()
    queue.addOperation {
      lines.add("not main: \(Thread.isMainThread)")
      OperationQueue.main.addOperation(BlockOperation { lines.add("back on main") })
    }
    runLoop { lines.count == 3 }
    lines.show(sorted: true)
  }

  // SAFETY: it has no state of its own.
  final class Recording: OperationQueue, @unchecked Sendable {
    override func addOperation(_ op: Operation) {
      print("adding \(op.name ?? "no name")")
      super.addOperation(op)
    }

    override func cancelAllOperations() {
      print("cancelling")
      super.cancelAllOperations()
    }
  }

  static func derived(_ lines: Lines) {
    let queue = Recording()
    let operation = BlockOperation { lines.add("ran") }
    operation.name = "corpus.recorded"
    queue.addOperation(operation)
    queue.waitUntilAllOperationsAreFinished()
    lines.show()
    queue.cancelAllOperations()
  }
}
