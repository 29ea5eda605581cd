// OperationService — operations that depend on each other, and one that is cancelled.

import SignalboxOperations

struct OperationService: Service {
  private let queue = OperationQueue()
  private let counts: Counts

  init(counts: Counts) {
    self.counts = counts
    queue.maxConcurrentOperationCount = 4
  }

  func answer(_ request: Request, reply: @escaping Reply) {
    let total = Total()
    let last = BlockOperation { reply(total.text) }
    var previous: BlockOperation?
    for step in 0..<request.count {
      let amount = request.number &+ UInt64(step)
      let part = BlockOperation { total.add(amount) }
      if let previous, step.isMultiple(of: 3) { part.addDependency(previous) }
      last.addDependency(part)
      queue.addOperation(part)
      previous = part
    }
    let cancelled = BlockOperation { [counts] in counts.noteWrong() }
    cancelled.cancel()
    last.addDependency(cancelled)
    queue.addOperation(cancelled)
    queue.addOperation(last)
  }
}
