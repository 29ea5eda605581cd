// FoundationOperationQueue — a queue of Foundation's type whose operations run on one of ours,
// for code that requires Foundation's type. Beyond Apple's API.
//
// Touching    `target`: never changes.

public import Foundation
public import SignalboxOperations
import SignalboxDispatch
import SignalboxRuntime

/// An operation queue of Foundation's type that runs its operations on one of
/// Signalbox's.
///
/// ```swift
/// let queue = OperationQueue()                       // ours
/// thirdParty.callbackQueue = FoundationOperationQueue(runningOn: queue)
/// ```
///
/// Width, suspension, name, class and barriers are those of our queue, whether you set them
/// here or there. You can add operations to either queue; their priorities and classes order
/// them together. A Foundation operation is ready when the dependencies that it had when
/// it was added are finished, whichever queues they are in. A cancelled operation still waits
/// for them.
///
/// Foundation's class imposes these limits:
/// - `underlyingQueue` is `nil`, and setting it traps: set our queue's instead.
/// - `operations`, `operationCount` and `progress` are those of an empty queue, because they
///   cannot be overridden: use ``target``.
/// - Within its operations, `Foundation.OperationQueue.current` is not this queue;
///   `OperationQueue.current` is ours.
/// - If a subclass overrides `isReady`, the queue first reads it at the operation's turn, because
///   Foundation does not announce its changes. It traps if `isReady` is false then.
/// - If you add a dependency when the operation is already in the queue, the operation occupies
///   its permit while it waits.
///
/// *Beyond Apple's API.*
// SAFETY: no member changes.
public final class FoundationOperationQueue: Foundation.OperationQueue, @unchecked Sendable {
  /// The queue that runs the operations.
  public let target: SignalboxOperations.OperationQueue

  /// Creates a queue that runs its operations on another.
  ///
  /// - Parameter target: the queue that runs the operations; retained.
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

  /// Operations that wait here occupy no thread.
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
          + "target.underlyingQueue to a Signalbox queue.")
    }
  }

  // MARK: All of them

  /// Cancels all operations of the target, including those that were added to it directly.
  public override func cancelAllOperations() { target.cancelAllOperations() }

  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  public override func waitUntilAllOperationsAreFinished() {
    target.waitUntilAllOperationsAreFinished()
  }
}

/// Wraps a Foundation operation as one of our type. The wrapper has no state of its own: it starts
/// a cancelled guest too, because only the guest can report that it is finished.
// SAFETY: no member changes.
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
    // An asynchronous operation continues after its `start()`.
    if guest.isFinished { finish() } else { FoundationWatch.whenFinished([guest], finish) }
  }

  override func cancel() { guest.cancel() }

  override var isCancelled: Bool { guest.isCancelled }
}
