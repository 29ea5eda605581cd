// ForwardingOperationQueue — a queue of our type whose operations run on one of Foundation's, for
// programs whose threads are another library's. Beyond Apple's API.
//
// Touching    `waiting`: under `lock`. `target`: never changes.

public import Foundation
public import SignalboxOperations
public import SignalboxDispatch
import SignalboxRuntime
public import SignalboxThreads

/// A queue of our type that has everything run by a queue of Foundation's.
///
/// ```swift
/// let queue = ForwardingOperationQueue(to: session.delegateQueue)
/// queue.addOperation(parse)      // our operation, on their queue
/// ```
///
/// Width, suspension, name and class are those of Foundation's queue. An operation comes to it when
/// it is ready: it is started there as by hand. Dependencies and their circles, completion
/// blocks and cancellation are ours; the order among operations that are ready is Foundation's.
/// One that has got a dependency since is not begun in its turn: it comes again when it is ready. A
/// dependency that is added once the operation has begun is noted and not waited for.
///
/// It goes as far as Foundation's class lets it:
/// - `underlyingQueue` is `nil`, and to set it traps.
/// - `OperationQueue.current` is not this one within its operations.
/// - What the operations do is not replaced by others while it blocks, and a class of service has no
///   effect: the threads are the toolchain's.
/// - An operation that is cancelled waits for those on which it depends, and so does one whose
///   dependency is removed: what it depends on is looked at when it comes, and in its turn.
/// - An `isReady` that a subclass overrides is asked in the operation's turn, and traps if it is
///   false then although all are finished on which it depends.
///
/// *Beyond Apple's API.*
// SAFETY: see Touching.
public final class ForwardingOperationQueue: SignalboxOperations.OperationQueue,
  @unchecked Sendable
{
  /// The queue that runs the operations.
  public let target: Foundation.OperationQueue

  private let lock = EngineLock()
  private var waiting: [SignalboxOperations.Operation] = []

  /// - Parameter target: what runs the operations; kept.
  public init(to target: Foundation.OperationQueue) {
    self.target = target
    super.init()
  }

  // MARK: Adding

  public override func addOperation(_ op: SignalboxOperations.Operation) {
    lock.withLock { waiting.append(op) }
    let end = SignalboxOperations.BlockOperation { [self] in
      let gone = lock.withLock {
        waiting.firstIndex { $0 === op }.map { waiting.remove(at: $0) }
      }
      withExtendedLifetime(gone) {}
    }
    end.addDependency(op)
    ForwardingOperationQueue.notes.addOperation(end)
    ForwardingOperationQueue.host(op, in: target)
  }

  /// Has an operation come to Foundation's queue when those are finished on which it depends now.
  fileprivate static func host(
    _ op: SignalboxOperations.Operation, in target: Foundation.OperationQueue
  ) {
    let others = op.dependencies
    let hosted = HostedOperation(op, after: others, in: target)
    if others.isEmpty { return target.addOperation(hosted) }
    let gate = SignalboxOperations.BlockOperation { target.addOperation(hosted) }
    for other in others { gate.addDependency(other) }
    notes.addOperation(gate)
  }

  /// Its operations only note that others are finished.
  private static let notes = SignalboxOperations.OperationQueue()

  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  public override func addOperations(
    _ ops: [SignalboxOperations.Operation], waitUntilFinished wait: Bool
  ) {
    for op in ops { addOperation(op) }
    if wait { for op in ops { op.waitUntilFinished() } }
  }

  public override func addOperation(_ block: @escaping @Sendable () -> Void) {
    addOperation(SignalboxOperations.BlockOperation(block: block))
  }

  public override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    target.addBarrierBlock(barrier)
  }

  // MARK: Attributes

  public override var maxConcurrentOperationCount: Int {
    get { target.maxConcurrentOperationCount }
    set { target.maxConcurrentOperationCount = newValue }
  }

  public override var isSuspended: Bool {
    get { target.isSuspended }
    set { target.isSuspended = newValue }
  }

  public override var name: String? {
    get { target.name }
    set { target.name = newValue }
  }

  public override var qualityOfService: SignalboxThreads.QualityOfService {
    get { .init(target.qualityOfService) }
    set { target.qualityOfService = .init(newValue) }
  }

  public unowned(unsafe) override var underlyingQueue: SignalboxDispatch.DispatchQueue? {
    get { nil }
    set {
      guard let newValue else { return }
      clientBug(
        "underlyingQueue was set to \(newValue.label) on a ForwardingOperationQueue, which runs its "
          + "operations on a queue of Foundation's. Use an OperationQueue of ours.")
    }
  }

  // MARK: All of them

  /// Those that came by this queue and are not finished.
  public override var operations: [SignalboxOperations.Operation] { lock.withLock { waiting } }

  public override var operationCount: Int { lock.withLock { waiting.count } }

  public override func cancelAllOperations() {
    for operation in operations { operation.cancel() }
  }

  /// Waits for those that came by this queue, until there are none.
  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  public override func waitUntilAllOperationsAreFinished() {
    // A subclass's `isFinished` may ask this queue.
    while let next = operations.first(where: { !$0.isFinished }) {
      next.waitUntilFinished()
    }
  }
}

/// An operation of ours, as one of Foundation's: begun by its queue, finished when ours is, or
/// when ours turns out to wait for others again.
// SAFETY: `phase` is read and written under `lock`.
private final class HostedOperation: Foundation.Operation, @unchecked Sendable {
  private enum Phase { case waiting, executing, finished }

  private let operation: SignalboxOperations.Operation
  /// What is finished, when this one's turn comes, of that which the operation depends on.
  private let awaited: [SignalboxOperations.Operation]
  private let target: Foundation.OperationQueue
  private let lock = EngineLock()
  private var phase = Phase.waiting

  init(
    _ operation: SignalboxOperations.Operation, after awaited: [SignalboxOperations.Operation],
    in target: Foundation.OperationQueue
  ) {
    self.operation = operation
    self.awaited = awaited
    self.target = target
    super.init()
    name = operation.name
    queuePriority = .init(rawValue: operation.queuePriority.rawValue) ?? .normal
    qualityOfService = .init(operation.qualityOfService)
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { phase == .executing } }
  override var isFinished: Bool { lock.withLock { phase == .finished } }

  override func start() {
    change(to: .executing)
    // By what has Foundation's operations only, it was this one that was cancelled.
    if isCancelled { operation.cancel() }
    let mustWait =
      operation.isReady
      // A dependency may have come since.
      ? !operation.claimStart() && operation.waitsForOthers : operation.dependencies != awaited
    if mustWait {
      // Its place is for others meanwhile, which may be those that it waits for.
      ForwardingOperationQueue.host(operation, in: target)
      return change(to: .finished)
    }
    operation.start()
    if operation.isFinished { return change(to: .finished) }
    let end = SignalboxOperations.BlockOperation { [self] in change(to: .finished) }
    end.addDependency(operation)
    HostedOperation.ends.addOperation(end)
  }

  private static let ends = SignalboxOperations.OperationQueue()

  private func change(to new: Phase) {
    let key = new == .finished ? "isFinished" : "isExecuting"
    willChangeValue(forKey: key)
    lock.withLock { phase = new }
    didChangeValue(forKey: key)
  }
}
