// BlockOperation — closures as an operation, run concurrently.
//
// Touching    `first`, `others`: under `lock`.

import SignalboxRuntime

/// An operation that runs one or several closures.
///
/// ```swift
/// let parts = BlockOperation { sort(left) }
/// parts.addExecutionBlock { sort(right) }
/// queue.addOperation(parts)
/// ```
///
/// Several closures run concurrently, if necessary all at the same time. The operation is finished
/// when all have returned.
///
/// *Differences*: the toolchain's class runs them one after the other.
///
/// Source: Apple's documentation of `BlockOperation`.
// SAFETY: see Touching.
open class BlockOperation: Operation, @unchecked Sendable {
  private final var first: (@Sendable () -> Void)?
  private final var others: [@Sendable () -> Void]?

  /// Creates an operation without a block.
  public override init() { super.init() }

  /// Creates an operation that runs `block`.
  public convenience init(block: @escaping @Sendable () -> Void) {
    self.init()
    first = block
  }

  /// Adds a closure. Traps if the operation has begun.
  open func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {
    let found = lock.withLock {
      if phase <= .enqueued {
        if first == nil { first = block } else { others = (others ?? []) + [block] }
      }
      return phase
    }
    if found > .enqueued {
      clientBug(
        "addExecutionBlock(_:) on \(title), which is \(found): add blocks before the operation "
          + "begins.")
    }
  }

  /// The closures, in the order in which they were added.
  open var executionBlocks: [@Sendable () -> Void] {
    lock.withLock { (first.map { [$0] } ?? []) + (others ?? []) }
  }

  /// Runs the closures and returns when all have returned.
  open override func main() {
    // Do not use `withLock` here: a closure that passes through a generic result is wrapped in
    // another closure, which allocates.
    lock.lock()
    let (first, others) = (first, others)
    lock.unlock()
    guard let first else { return }
    guard let others else { return first() }
    SideBySide([first] + others, of: self).run()
  }
}

/// The operation that `addBarrierBlock` adds.
final class BarrierOperation: Operation, @unchecked Sendable {
  // SAFETY: written by `init` and by the thread that runs the operation.
  private var block: (@Sendable () -> Void)?

  init(_ block: @escaping @Sendable () -> Void) {
    self.block = block
    super.init(asBarrier: ())
  }

  override func main() {
    block?()
    block = nil
  }
}
