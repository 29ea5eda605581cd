// OperationEnding — what an operation that is finished leaves to be done: who may begin, who
// is to be told.
//
// Touching    its fields: the thread that has finished the operation. The operations in its
//             chains are marked as offered, so that nobody else links them.

import SignalboxDispatch
import SignalboxRuntime

struct OperationEnding: ~Copyable {
  /// The queue that it was in.
  let home: Unmanaged<OperationQueue>?
  /// Dependents of the same queue that may begin now.
  var ready = ReadyChain()
  /// Those of other queues.
  private var readyElsewhere = ReadyChain()
  // SAFETY: not followed; here to be freed.
  var dependents: Operation.DependentList = []
  var completion: (@Sendable () -> Void)?
  private let band: Band

  /// Under the lock of the operation.
  init(of operation: Operation) {
    home = operation.queue
    band = operation.band
  }

  /// Under the lock of the operation: counts down what `dependent` waits for.
  ///
  /// - Returns: whether it did; if not, somebody has the dependent's lock.
  @inline(__always)
  mutating func release(_ dependent: Operation) -> Bool {
    guard dependent.lock.tryLock() else { return false }
    dependent.unfinished -= 1
    if dependent.unfinished == 0 && dependent.phase == .enqueued && !dependent.isOffered {
      dependent.isOffered = true
      dependent.tellStep(.ready)
      // SAFETY: addresses, compared. The dependent is in a queue, which keeps it as long as its
      // lock is held.
      if dependent.queue?.toOpaque() == home?.toOpaque() {
        ready.append(dependent)
      } else {
        readyElsewhere.append(dependent)
      }
    }
    dependent.lock.unlock()
    return true
  }

  /// Asks those whose class may know better whether they are ready, and puts those of other
  /// queues into their lines. No lock is held.
  mutating func askReady() {
    if !ready.isEmpty { ready.keepReady() }
    if !readyElsewhere.isEmpty {
      readyElsewhere.keepReady()
      while let operation = readyElsewhere.popFirst() { operation.linkOffered() }
    }
  }

  /// Wakes who waits, and has the completion block called. The caller has a reference.
  consuming func tell(_ operation: Operation) {
    ready.drop()
    // Not before: who waits is to find it out of its queue.
    let isAwaited = operation.lock.withLock {
      operation.finishedWord.store(1, ordering: .relaxed)  // order: relaxed; read under the lock.
      return operation.hasWaiters
    }
    if isAwaited { WaitingDoor.wake(wordAddress(operation.finishedWord), count: Int32.max) }
    if let completion {
      DispatchQueue.global(qos: DispatchQoS.QoSClass(of: band)).async(execute: completion)
    }
  }
}

/// Operations that may begin, each retained, linked by `nextReady`.
struct ReadyChain: ~Copyable {
  // SAFETY: retained by `append`.
  private var first: Unmanaged<Operation>?
  private var last: Unmanaged<Operation>?

  var isEmpty: Bool { first == nil }

  mutating func append(_ operation: Operation) {
    // SAFETY: released by who takes it out of the chain.
    append(retained: Unmanaged.passRetained(operation))
  }

  private mutating func append(retained new: Unmanaged<Operation>) {
    new._withUnsafeGuaranteedRef { $0.nextReady = nil }
    if let last {
      last._withUnsafeGuaranteedRef { $0.nextReady = new }
    } else {
      first = new
    }
    last = new
  }

  private mutating func removeFirst() -> Unmanaged<Operation>? {
    guard let found = first else { return nil }
    first = found._withUnsafeGuaranteedRef(\.nextReady)
    if first == nil { last = nil }
    return found
  }

  mutating func popFirst() -> Operation? {
    removeFirst()?.takeRetainedValue()  // SAFETY: retained by `append`.
  }

  /// Drops those that say that they are not ready. What they say may have changed since, so
  /// they are looked at once more. No lock is held.
  mutating func keepReady() {
    var kept = ReadyChain()
    while let next = removeFirst() {
      let isReady = next._withUnsafeGuaranteedRef { OperationKind.isPlain($0) || $0.isReady }
      if isReady {
        kept.append(retained: next)
      } else {
        next.takeRetainedValue().offerAnew()  // SAFETY: as above.
      }
    }
    swap(&self, &kept)
  }

  /// Under the lock of their queue: puts them into its lines. Those that have left it stay.
  mutating func link(into queue: OperationQueue) {
    var gone = ReadyChain()
    while let next = removeFirst() {
      if next._withUnsafeGuaranteedRef({ $0.hasLeft }) {
        gone.append(retained: next)
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

/// What is known of an operation's class.
enum OperationKind {
  /// Whether the class is one of ours, whose functions need not be called to know what they
  /// do.
  @inline(__always)
  static func isPlain(_ operation: Operation) -> Bool {
    operation.isBarrier || type(of: operation) == BlockOperation.self
  }
}
