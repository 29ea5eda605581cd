// BlockOperations — one block and several, by hand and in a queue.

import Foundation

enum BlockOperations {
  static func run() {
    let lines = Lines()
    let single = BlockOperation { lines.add("single") }
    print(single.executionBlocks.count, single.isFinished)
    single.start()
    lines.show()
    print(single.isFinished)

    let several = BlockOperation()
    print(several.executionBlocks.count)
    for number in 0..<3 { several.addExecutionBlock { lines.add("block \(number)") } }
    print(several.executionBlocks.count)
    several.completionBlock = { lines.add("then completed") }
    let queue = OperationQueue()
    queue.addOperation(several)
    queue.waitUntilAllOperationsAreFinished()
    sleep { lines.count == 4 }
    lines.show(sorted: true)

    let byHand = BlockOperation(block: { lines.add("by hand") })
    byHand.addExecutionBlock { lines.add("by hand, too") }
    byHand.main()
    lines.show(sorted: true)
    let operation: Operation = byHand
    print(operation is BlockOperation, (operation as? BlockOperation)?.executionBlocks.count ?? 0)
    let cancelled = BlockOperation { lines.add("never") }
    cancelled.cancel()
    cancelled.start()
    print(cancelled.isCancelled, cancelled.isFinished, lines.count)
    let made = DerivedBlock()
    made.addExecutionBlock { lines.add("derived") }
    made.start()
    lines.show()
  }

  // SAFETY: it has no state of its own.
  final class DerivedBlock: BlockOperation, @unchecked Sendable {
    override func main() {
      print("before")
      super.main()
      print("after")
    }
  }
}
