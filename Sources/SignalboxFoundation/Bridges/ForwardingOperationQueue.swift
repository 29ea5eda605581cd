// ForwardingOperationQueue — a queue of our type whose operations run on a Foundation queue,
// for programs that use another library's threads. Beyond Apple's API.
//
// Touching    `waiting`: under `lock`. `target`: never changes.

public import Foundation
public import SignalboxOperations
public import SignalboxDispatch
import SignalboxRuntime
public import SignalboxThreads

/// An `OperationQueue` of Signalbox's type that runs its operations on one of
/// Foundation's.
///
/// ```swift
/// let queue = ForwardingOperationQueue(to: session.delegateQueue)
/// queue.addOperation(parse)      // our operation, on their queue
/// ```
///
/// Width, suspension, name and class are those of Foundation's queue. An operation enters that
/// queue when it is ready, and is started there as if the program called `start()`. Dependencies
/// and cycles, completion blocks and cancellation are ours; Foundation orders the operations that
/// are ready. If an operation gets another dependency before its turn, it does not begin then, but
/// enters the queue again when it is ready. If you add a dependency after the operation has begun,
/// the dependency is recorded, but the operation does not wait for it.
///
/// Foundation's class imposes these limits:
/// - `underlyingQueue` is `nil`, and setting it traps.
/// - Within its operations, `OperationQueue.current` is not this queue.
/// - When an operation blocks, no other one takes its place, and classes have no effect: the
///   threads are the toolchain's.
/// - An operation that is cancelled or loses a dependency still waits for the dependencies that it
///   had when it was added: the queue reads them then, and again only at the operation's turn.
/// - If a subclass overrides `isReady`, the queue reads it at the operation's turn. It traps if
///   `isReady` is false although all dependencies are finished.
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

  /// Creates a queue that runs its operations on another.
  ///
  /// - Parameter target: the queue that runs the operations; retained.
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

  /// Adds an operation to Foundation's queue once its current dependencies are finished.
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

  /// The operations of this queue only record that other operations are finished.
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
        "underlyingQueue was set to \(newValue.label) on a ForwardingOperationQueue, which runs "
          + "its operations on a Foundation queue. Use Signalbox's OperationQueue.")
    }
  }

  // MARK: All of them

  /// The unfinished operations that were added through this queue.
  public override var operations: [SignalboxOperations.Operation] { lock.withLock { waiting } }

  public override var operationCount: Int { lock.withLock { waiting.count } }

  public override func cancelAllOperations() {
    for operation in operations { operation.cancel() }
  }

  /// Waits until no operation that was added through this queue is unfinished.
  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  public override func waitUntilAllOperationsAreFinished() {
    // A subclass's `isFinished` may call this queue.
    while let next = operations.first(where: { !$0.isFinished }) {
      next.waitUntilFinished()
    }
  }
}

/// Wraps an operation of our type as a Foundation operation. It finishes when ours does, or when
/// ours turns out to wait for others again.
// SAFETY: `phase` is only used under `lock`.
private final class HostedOperation: Foundation.Operation, @unchecked Sendable {
  private enum Phase { case waiting, executing, finished }

  private let operation: SignalboxOperations.Operation
  /// The dependencies that are finished when this operation's turn comes.
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
    // Code that only sees this Foundation operation has cancelled it.
    if isCancelled { operation.cancel() }
    let mustWait =
      operation.isReady
      // A dependency may have been added since.
      ? !operation.claimStart() && operation.waitsForOthers : operation.dependencies != awaited
    if mustWait {
      // Frees this operation's permit for others, possibly those that it waits for.
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
