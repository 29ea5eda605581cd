// FoundationOperationQueue — a queue of Foundation's type whose operations run on one of ours, for
// what insists on Foundation's. Beyond Apple's API.
//
// Touching    `target`: never changes.

public import Foundation
public import SignalboxOperations
import SignalboxDispatch
import SignalboxRuntime

/// A queue of Foundation's type that has everything run by a queue of ours.
///
/// ```swift
/// let queue = OperationQueue()                       // ours
/// thirdParty.callbackQueue = FoundationOperationQueue(runningOn: queue)
/// ```
///
/// Width, suspension, name, class and barriers are those of our queue, whether they are set here
/// or there. Operations may come here and there; their priorities and classes order them
/// together. An operation of Foundation's is ready when those are finished on which it depends when
/// it is added, in whatever queues they are; one that is cancelled meanwhile waits for them all
/// the same.
///
/// It goes as far as Foundation's class can be overridden:
/// - `underlyingQueue` is `nil`, and to set it traps: set that of our queue.
/// - `operations`, `operationCount` and `progress` are those of an empty queue, since they cannot
///   be overridden: ask ``target``.
/// - `Foundation.OperationQueue.current` is not this one within its operations; ours is
///   `OperationQueue.current`.
/// - An `isReady` that a subclass overrides is not asked before the operation's turn, and traps
///   if it is false then: Foundation tells nobody of its changes.
/// - A dependency that is added when the operation is in the queue already is waited for in the
///   operation's place in the width.
///
/// *Beyond Apple's API.*
// SAFETY: it has nothing that changes.
public final class FoundationOperationQueue: Foundation.OperationQueue, @unchecked Sendable {
  /// The queue that runs the operations.
  public let target: SignalboxOperations.OperationQueue

  /// - Parameter target: what runs the operations; kept.
  public init(runningOn target: SignalboxOperations.OperationQueue) {
    self.target = target
    super.init()
  }

  // MARK: Adding

  public override func addOperation(_ op: Foundation.Operation) {
    let guest = GuestOperation(op)
    let missing = op.dependencies.filter { !$0.isFinished }
    if !missing.isEmpty {
      let gate = AsynchronousOperation { open in FoundationWatch.whenFinished(missing, open) }
      guest.addDependency(gate)
      FoundationOperationQueue.gates.addOperation(gate)
    }
    target.addOperation(guest)
  }

  /// What waits there holds no thread.
  private static let gates = SignalboxOperations.OperationQueue()

  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  public override func addOperations(_ ops: [Foundation.Operation], waitUntilFinished wait: Bool) {
    for op in ops { addOperation(op) }
    if wait { for op in ops { op.waitUntilFinished() } }
  }

  public override func addOperation(_ block: @escaping @Sendable () -> Void) {
    target.addOperation(block)
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

  public override var qualityOfService: Foundation.QualityOfService {
    get { .init(target.qualityOfService) }
    set { target.qualityOfService = .init(newValue) }
  }

  public override var underlyingQueue: Dispatch.DispatchQueue? {
    get { nil }
    set {
      guard let newValue else { return }
      clientBug(
        "underlyingQueue was set to \(newValue.label) on a FoundationOperationQueue, which runs "
          + "its operations on \(target): the toolchain's queue cannot run them. Set "
          + "target.underlyingQueue, to one of ours.")
    }
  }

  // MARK: All of them

  /// Cancels all that are in the target, of whatever origin.
  public override func cancelAllOperations() { target.cancelAllOperations() }

  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  public override func waitUntilAllOperationsAreFinished() {
    target.waitUntilAllOperationsAreFinished()
  }
}

/// An operation of Foundation's, as one of ours. It has no state of its own: a cancelled guest is
/// started as well, since only it can say that it is finished.
// SAFETY: it has nothing that changes.
private final class GuestOperation: AsynchronousOperation, @unchecked Sendable {
  let guest: Foundation.Operation

  init(_ guest: Foundation.Operation) {
    self.guest = guest
    super.init()
    name = guest.name
    queuePriority = .init(rawValue: guest.queuePriority.rawValue) ?? .normal
    qualityOfService = .init(guest.qualityOfService)
  }

  override func execute(_ finish: @escaping FinishBlock) {
    let missing = guest.dependencies.filter { !$0.isFinished }
    guard missing.isEmpty else {
      FoundationWatch.whenFinished(missing) { [self] in
        DispatchQueue.global().async { [self] in begin(finish) }
      }
      return
    }
    begin(finish)
  }

  private func begin(_ finish: @escaping FinishBlock) {
    guest.start()
    // One that is asynchronous goes on.
    if guest.isFinished { finish() } else { FoundationWatch.whenFinished([guest], finish) }
  }

  override func cancel() { guest.cancel() }

  override var isCancelled: Bool { guest.isCancelled }
}
