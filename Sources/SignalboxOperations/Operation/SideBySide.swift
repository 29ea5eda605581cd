// SideBySide — several closures of one operation, run at the same time.
//
// One is run by the thread that has come for the operation; for each other one an item goes to
// the pool. Whoever comes takes the next closure that nobody has taken, the first thread
// too, until none is left: so nothing waits for a thread that the pool has not got. Then the
// first thread waits for those that others still run. Who comes later finds nothing, and
// nobody has waited for it.
//
// Touching    `next`: under `lock`. The rest never changes.
// Invariants  I1  `group` counts the closures that others have taken and that have not returned;
//                 it is entered under `lock`: who has found none left sees all of them.

import SignalboxDispatch
import SignalboxRuntime

// SAFETY: see Touching.
final class SideBySide: @unchecked Sendable {
  private let lock = EngineLock()
  private var next = 0
  private let blocks: [@Sendable () -> Void]
  private let operation: Operation
  private let queue: OperationQueue?
  private let group = DispatchGroup()

  init(_ blocks: [@Sendable () -> Void], of operation: Operation) {
    self.blocks = blocks
    self.operation = operation
    // SAFETY: it runs one of the queue's operations, which that keeps.
    queue = operation.lock.withLock { operation.queue.map { $0.takeUnretainedValue() } }
  }

  func run() {
    // As urgent as this thread is now: that may be the class of an underlying queue.
    let band = Urgency.ofThisThread.band ?? operation.lock.withLock { operation.band }
    let place = DispatchQueue.global(qos: DispatchQoS.QoSClass(of: band))
    for _ in 1..<blocks.count { place.async { self.help() } }
    while let block = takeOne() { block() }
    group.wait()
  }

  private func help() {
    guard let queue else { return helpOperation() }
    ThreadHold.with(queue.address, .operationQueue) { helpOperation() }
  }

  private func helpOperation() {
    ThreadHold.with(operation.address, .operation) {
      while let block = takeOne(countedBy: group) {
        block()
        group.leave()
      }
    }
  }

  private func takeOne(countedBy group: DispatchGroup? = nil) -> (@Sendable () -> Void)? {
    lock.withLock {
      guard next < blocks.count else { return nil }
      defer { next += 1 }
      group?.enter()
      return blocks[next]
    }
  }
}
