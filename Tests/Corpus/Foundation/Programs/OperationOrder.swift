// OperationOrder — what runs first: by priority, by dependency, by the order of adding.

import Foundation

enum OperationOrder {
  static func run() {
    let lines = Lines()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let priorities: [(String, Operation.QueuePriority)] = [
      ("very low", .veryLow), ("normal", .normal), ("very high", .veryHigh), ("low", .low),
      ("high", .high), ("normal, later", .normal),
    ]
    for (text, priority) in priorities {
      let operation = BlockOperation { lines.add(text) }
      operation.queuePriority = priority
      queue.addOperation(operation)
    }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    lines.show()

    let wide = OperationQueue()
    let sources = (0..<5).map { number in BlockOperation { lines.add("source \(number)") } }
    let sum = BlockOperation { lines.add("the sum, after \(lines.count)") }
    for source in sources { sum.addDependency(source) }
    let last = BlockOperation { lines.add("the last") }
    last.addDependency(sum)
    wide.addOperations([last, sum] + sources, waitUntilFinished: true)
    print(sources.allSatisfy(\.isFinished))
    lines.show(sorted: true)

    let cancelled = BlockOperation { lines.add("never") }
    let next = BlockOperation { lines.add("after one that was cancelled") }
    next.addDependency(cancelled)
    cancelled.cancel()
    wide.addOperations([next, cancelled], waitUntilFinished: true)
    lines.show()
  }
}
