// BlocksSideBySide — the blocks of one operation wait for each other.

import Foundation

enum BlocksSideBySide {
  static func run() {
    let arrived = NSCondition()
    final class Count: @unchecked Sendable { var value = 0 }  // SAFETY: with `arrived` held.
    let count = Count()
    let met = Count()
    let operation = BlockOperation()
    for _ in 0..<2 {
      operation.addExecutionBlock {
        arrived.withLock {
          count.value += 1
          arrived.broadcast()
          let limit = Date(timeIntervalSinceNow: 10)
          while count.value < 2, arrived.wait(until: limit) {}
          if count.value == 2 { met.value += 1 }
        }
      }
    }
    let queue = OperationQueue()
    queue.addOperations([operation], waitUntilFinished: true)
    print("met:", met.value)
  }
}
