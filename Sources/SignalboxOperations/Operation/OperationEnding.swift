// OperationEnding — what remains to be done for a finished operation: the dependents that may
// begin, and the notifications.
//
// Touching    its fields: the thread that has finished the operation. The operations in its
//             chains are marked as offered, so no other thread links them.

import SignalboxDispatch
import SignalboxRuntime

struct OperationEnding: ~Copyable {
  /// The queue that the operation was in.
  let home: Unmanaged<OperationQueue>?
  /// Dependents in the same queue that may begin now.
  var ready = ReadyChain()
  /// Dependents in other queues that may begin now.
  private var readyElsewhere = ReadyChain()
  // SAFETY: never followed, only freed.
  var dependents: Operation.DependentList = []
  var completion: (@Sendable () -> Void)?
  private let band: Band

  /// Requires the lock of the operation.
  init(of operation: Operation) {
    home = operation.queue
    band = operation.band
  }

  /// Decrements the number of dependencies that `dependent` waits for. Requires the lock of the
  /// operation.
  ///
  /// - Returns: whether it did; if not, another thread holds the dependent's lock.
  @inline(__always)
  mutating func release(_ dependent: Operation) -> Bool {
    guard dependent.lock.tryLock() else { return false }
    dependent.unfinished -= 1
    if dependent.unfinished == 0 && dependent.phase == .enqueued && !dependent.isOffered {
      dependent.isOffered = true
      dependent.tellStep(.ready)
      // SAFETY: the addresses are only compared. The dependent is in a queue, which keeps it alive
      // while the dependent's lock is held.
      if dependent.queue?.toOpaque() == home?.toOpaque() {
        ready.append(dependent)
      } else {
        readyElsewhere.append(dependent)
      }
    }
    dependent.lock.unlock()
    return true
  }

  /// Asks dependents whose class overrides `isReady` whether they are ready, and links those of
  /// other queues into their lines. Call without any lock.
  mutating func askReady() {
    if !ready.isEmpty { ready.keepReady() }
    if !readyElsewhere.isEmpty {
      readyElsewhere.keepReady()
      while let operation = readyElsewhere.popFirst() { operation.linkOffered() }
    }
  }

  /// Wakes waiting threads and submits the completion block. The caller holds a reference.
  consuming func tell(_ operation: Operation) {
    ready.drop()
    // Do this last: a waiting thread must find that the operation has left its queue.
    let isAwaited = operation.lock.withLock {
      operation.finishedWord.store(1)
      return operation.hasWaiters
    }
    if isAwaited { Parking.wake(wordAddress(operation.finishedWord), count: Int32.max) }
    if let completion {
      DispatchQueue.global(qos: DispatchQoS.QoSClass(of: band)).async(execute: completion)
    }
  }
}

/// Operations that may begin, each retained, linked by `readyLinks`.
struct ReadyChain: ~Copyable {
  // SAFETY: `append` retains each member.
  private var list = IntrusiveList<ReadyOperations>()

  var isEmpty: Bool { list.isEmpty }

  mutating func append(_ operation: Operation) {
    // SAFETY: released by the code that takes it out of the chain.
    list.append(Unmanaged.passRetained(operation))
  }

  mutating func popFirst() -> Operation? {
    list.removeFirst()?.takeRetainedValue()  // SAFETY: retained by `append`.
  }

  /// Drops operations that report that they are not ready. That may have changed since, so they
  /// are checked once more. Call without any lock.
  mutating func keepReady() {
    var kept = ReadyChain()
    while let next = list.removeFirst() {
      let isReady = next._withUnsafeGuaranteedRef { OperationKind.isPlain($0) || $0.isReady }
      if isReady {
        kept.list.append(next)
      } else {
        next.takeRetainedValue().offerAnew()  // SAFETY: see `append`.
      }
    }
    swap(&self, &kept)
  }

  /// Links the operations into the lines of their queue, except those that have left it.
  /// Requires the queue's lock.
  mutating func link(into queue: OperationQueue) {
    var gone = ReadyChain()
    while let next = list.removeFirst() {
      if next._withUnsafeGuaranteedRef({ $0.hasLeft }) {
        gone.list.append(next)
      } else {
        next._withUnsafeGuaranteedRef { queue.plan.pointee.enqueue($0) }
        next.release()  // SAFETY: not the last reference: the queue has one.
      }
    }
    swap(&self, &gone)
  }

  mutating func drop() {
    while popFirst() != nil {}
  }
}

enum OperationKind {
  /// Whether the class is one of ours, so that its behaviour is known without calling its methods.
  @inline(__always)
  static func isPlain(_ operation: Operation) -> Bool {
    operation.isBarrier || type(of: operation) == BlockOperation.self
  }
}
