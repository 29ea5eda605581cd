// DispatchQueue — a queue that runs submitted work in order, serially or concurrently.
//
// The queue is a word (`QueueState`) and a list (`ItemList`). When it has work and no owner, it
// *enlists*: its invitation, an item that is part of the queue, goes to its target queue or to
// the pool. The thread that runs the invitation takes the queue and drains it; see
// `DispatchQueue+Drain.swift`.
//
// Touching    `list`'s head: the owner by `state`. `target`, `base`: only the thread that created
//             the queue, before activation. `level`: see `QueueLevel`. `place`: see
//             `QueueRegistry`. The rest never changes.

import CSignalbox
import SignalboxDiagnostics
public import SignalboxRuntime
import Synchronization

/// An object that runs the work you submit in order, on the pool's threads or on the main thread.
///
/// A queue is serial unless you create it with the attribute `.concurrent`. You may call every
/// method from any thread.
///
/// ```swift
/// let queue = DispatchQueue(label: "com.example.images")
/// queue.async { print("later, elsewhere") }
/// let sum = queue.sync { 1 + 1 }
/// ```
///
/// A queue lives until its pending work is done, even if you release the last reference earlier.
/// Releasing a suspended or inactive queue traps.
///
/// Source: Apple's documentation of `DispatchQueue`.
public class DispatchQueue: DispatchObject, @unchecked Sendable {  // SAFETY: see Touching.
  @usableFromInline let state: QueueState
  /// How `sync` may enter the queue without further checks.
  @usableFromInline let entry: Entry
  @usableFromInline let list = ItemList()
  /// Placed behind `list`, and so on the cache line of its tail, which a submitting thread
  /// touches anyway.
  let level = QueueLevel()
  let invitation: Invitation
  /// Never changes. It is a variable because only a variable has an address, which reports need;
  /// see `QueueSnapshot`.
  // SAFETY: written only during initialization.
  @exclusivity(unchecked) private(set) nonisolated(unsafe) final var shape: Shape
  /// The process's fork count when the queue was last checked for a parent's leftovers; see
  /// `DispatchQueue+Fork.swift`.
  let checkedIn: Atomic<UInt32>
  /// The urgency of the queue's own quality of service, or else of its target's.
  // SAFETY: written only before activation, which QS1 publishes.
  private(set) nonisolated(unsafe) final var base: Urgency
  /// The queue's number in recordings.
  final let traceNumber = TraceQueueNumber()

  /// The label that the queue was created with.
  public final var label: String { name }
  /// Never changes; see `shape`.
  // SAFETY: written only during initialization.
  @exclusivity(unchecked) private nonisolated(unsafe) final var name: String
  /// The quality of service that the queue was created with.
  public final let qos: DispatchQoS
  // SAFETY: written only before activation.
  private(set) nonisolated(unsafe) final var target: DispatchQueue?
  /// The target, including a global one. Items of a queue on a global target go to the pool
  /// directly and do not belong to the global queue. The reference is not counted: `target` keeps
  /// a target, and global queues are never freed.
  // SAFETY: written only before activation.
  @exclusivity(unchecked)
  private(set) nonisolated(unsafe) final var above: Unmanaged<DispatchQueue>?
  /// The queue's values by key.
  @usableFromInline final let specifics = Specifics()
  /// The queue's links in the list of all queues.
  // SAFETY: read and written under the lock of that list.
  @exclusivity(unchecked) private nonisolated(unsafe) final var place = QueuePlace()

  enum Shape: UInt8 { case serial, concurrent, global, main, workloop }

  /// How `sync` enters a queue. All cases but `slow` need no further check.
  @frozen @usableFromInline
  enum Entry {
    /// Check further: the queue has or may get a target, or is the main queue.
    case slow
    case serial, concurrent
    /// Run the work at once.
    case global
  }

  init(shape: Shape, label: String, qos: DispatchQoS, inactive: Bool, target: DispatchQueue?) {
    state = QueueState(inactive: inactive)
    invitation = Invitation()
    _ = ForkedQueues.arranged
    checkedIn = Atomic(Fork.count)
    self.shape = shape
    name = label
    self.qos = qos
    self.target = target?.shape == .global ? nil : target
    above = target.map { Unmanaged.passUnretained($0) }  // SAFETY: see `above`.
    base = qos.urgency.or(target?.base ?? .unspecified)
    // An inactive queue may get a target later.
    entry = inactive || self.target != nil ? .slow : DispatchQueue.directEntry(of: shape)
    super.init()
    invitation.address(to: self)
    QueueRegistry.shared.add(self)
    if !RecordedQueues.areArranged { RecordedQueues.arrange(self) }
  }

  private static func directEntry(of shape: Shape) -> Entry {
    switch shape {
    case .serial: .serial
    case .concurrent: .concurrent
    case .global: .global
    case .main, .workloop: .slow
    }
  }

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - label: a name for reports, by convention in reverse-DNS style.
  ///   - qos: the quality of service of its items.
  ///   - attributes: `.concurrent`, `.initiallyInactive`; without them the queue is serial and
  ///     active.
  ///   - autoreleaseFrequency: has no effect, because Linux has no autorelease pools.
  ///   - target: the queue on which its items run; nil for the pool.
  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: DispatchQueue.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .inherit,
    target: DispatchQueue? = nil
  ) {
    attributes.checkKnown(label)
    self.init(
      shape: attributes.contains(.concurrent) ? .concurrent : .serial, label: label, qos: qos,
      inactive: attributes.contains(.initiallyInactive), target: target)
  }

  /// The address of the queue's links. An object and its fields do not move.
  final var listing: QueuePlace.Pointer {
    withUnsafeMutablePointer(to: &place) { $0 }  // SAFETY: see `place`.
  }

  /// Byte offsets of the immutable fields. Call it during initialization.
  final var unchangingFields: (shape: Int, label: Int, above: Int) {
    let start = address
    // SAFETY: addresses, as for `listing`.
    return (
      withUnsafePointer(to: &shape) { UnsafeRawPointer($0) - start },
      withUnsafePointer(to: &name) { UnsafeRawPointer($0) - start },
      withUnsafePointer(to: &above) { UnsafeRawPointer($0) - start }
    )
  }

  deinit {
    // First, because a report may look at the queue until then.
    QueueRegistry.shared.remove(self)
    Probe.queueFreed(address)
    let last = state.snapshot
    if last.bits != 0 { checkRelease(last) }
    if attachment.isSet { attachment.finish(on: finalTarget) }
    if target != nil { releaseTargets() }
  }

  /// Frees the targets that only this queue keeps, one after the other. Otherwise each target in
  /// a long chain would free the next one in its own deinitializer, and the stack could overflow.
  private final func releaseTargets() {
    var next = target
    target = nil
    while isKnownUniquelyReferenced(&next) {
      if let next { QueueRegistry.shared.remove(next) }
      let following = next?.target
      // SAFETY: this is the only reference, and no report looks at the object any more.
      next?.target = nil
      next = following
    }
  }

  /// The queue on which the finalizer runs.
  private final var finalTarget: DispatchQueue {
    // SAFETY: a target outlives the queues that target it.
    above?.takeUnretainedValue()
      ?? .global(qos: qos.qosClass == .unspecified ? .default : qos.qosClass)
  }

  @inline(never)
  private func checkRelease(_ last: QueueState.Snapshot) {
    if last.isSuspended {
      clientBug(
        "the queue \(quotedLabel) was released while suspended: call resume() as often as "
          + "suspend() before the last reference goes away.")
    }
    if last.isInactive {
      clientBug(
        "the queue \(quotedLabel) was released while inactive: call activate() before the last "
          + "reference goes away.")
    }
    if (last.isOwned || last.hasShared || last.isEnlisted) && !isLeftByParent {
      internalBug("the queue \(quotedLabel) was freed in the state \(last)")
    }
  }

  var quotedLabel: String { "\"\(label)\"" }

  public override var description: String {
    "<DispatchQueue \(quotedLabel), \(shape): \(state.snapshot)>"
  }

  /// Whether the queue runs one item at a time.
  @inline(__always)
  var isSerial: Bool { shape == .serial || shape == .main || shape == .workloop }

  // MARK: Target

  /// Makes `queue` the target, on which this queue's items run. It traps once the queue is
  /// active.
  public override func setTarget(queue: DispatchQueue) {
    if shape == .workloop { refuseTarget(queue) }
    guard state.snapshot.isInactive else {
      clientBug(
        "setTarget(queue: \(queue.quotedLabel)) on the queue \(quotedLabel), which is active: give "
          + "the target when the queue is made, or make it .initiallyInactive.")
    }
    if queue.reaches(self) {
      clientBug(
        "the queue \(quotedLabel) would become its own target through \(queue.quotedLabel).")
    }
    target = queue.shape == .global ? nil : queue
    above = Unmanaged.passUnretained(queue)  // SAFETY: see `above`.
    base = qos.urgency.or(queue.base)
    Probe.queueRetargeted(address)
  }

  private final func refuseTarget(_ queue: DispatchQueue) -> Never {
    clientBug(
      "setTarget(queue: \(queue.quotedLabel)) on the workloop \(quotedLabel): a workloop has no "
        + "target; let other queues have it as theirs.")
  }

  /// Whether `queue` is this one or one of its targets.
  func reaches(_ queue: DispatchQueue) -> Bool {
    var bottom = self
    while bottom !== queue {
      guard let next = bottom.target else {
        return queue.shape == .global && bottom.isUpon(global: queue)
      }
      bottom = next
    }
    return true
  }

  /// Whether this queue, which has no other target, runs on that global queue: because it is its
  /// target, or because the queue is concurrent and has none. A serial queue without a target is
  /// on no queue.
  private final func isUpon(global queue: DispatchQueue) -> Bool {
    above == nil && shape != .concurrent ? false : finalTarget === queue
  }

  // MARK: Halting

  /// Activates a queue that was created `.initiallyInactive`. It does nothing on an active queue.
  public override func activate() {
    if Fork.hasHappened { checkFork() }
    if state.activate() == .enlist { enlist() }
  }

  /// Prevents the queue from starting items until you balance this call with ``resume()``. Running
  /// items continue. The call has no effect on global queues and the main queue.
  public override func suspend() {
    if shape == .global || shape == .main { return }
    if !state.suspend() {
      clientBug(
        "the queue \(quotedLabel) was suspended more than \(QueueState.Snapshot.mostSuspensions) "
          + "times without resume(). Call resume() once for each suspend().")
    }
  }

  /// Undoes one ``suspend()``. It traps if the queue is not suspended.
  public override func resume() {
    if shape == .global || shape == .main { return }
    if Fork.hasHappened { checkFork() }
    guard let duty = state.resume() else {
      clientBug(
        "resume() on the queue \(quotedLabel), which is not suspended: each resume() needs a "
          + "suspend() before it"
          + (state.snapshot.isInactive ? "; an inactive queue begins with activate()." : "."))
    }
    if duty == .enlist { enlist() }
  }
}
