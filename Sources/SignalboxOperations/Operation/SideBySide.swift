// SideBySide — runs several closures of one operation concurrently.
//
// The operation's thread submits one helper item to the pool for each closure except one. Every
// thread, including the operation's, then takes the next closure that no thread has taken, until
// none is left. So no closure has to wait until the pool has a free thread. The operation's thread
// then waits for the closures that helpers still run. A helper that starts later finds nothing to
// do and delays nothing.
//
// Touching    `next`: under `lock`. The rest never changes.
// Invariants  I1  `group` counts the closures that helpers have taken and that have not
//                 returned. It is entered under `lock`, so a thread that finds no closure left
//                 sees all of them.

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
    // SAFETY: this object runs one of the queue's operations, so the queue stays alive.
    queue = operation.lock.withLock { operation.queue.map { $0.takeUnretainedValue() } }
  }

  func run() {
    // Use this thread's current class, which may be that of an underlying queue.
    let band = Urgency.ofThisThread.band ?? operation.lock.withLock { operation.band }
    let queue = DispatchQueue.global(qos: DispatchQoS.QoSClass(of: band))
    for _ in 1..<blocks.count { queue.async { self.help() } }
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
