// DispatchQueue — an ordered place for work, serial or concurrent.
//
// The queue itself is a word (`QueueState`) and a list (`ItemList`). When it has
// work and nobody serves it, it *enlists*: its invitation, an item embedded in
// it, goes to its target queue or to the pool. Whoever runs the invitation
// takes the queue and serves its items; see `DispatchQueue+Drain.swift`.
//
// Touching    `list`'s head: the owner by `state`. `target`, `base`: before activation
//             only, by whoever made the queue. `level`: see `QueueLevel`. `place`: see
//             `QueueRegistry`. The rest never changes.

import CSignalbox
public import SignalboxRuntime
import Synchronization

/// An object on which work is submitted, to be run in order on the pool's
/// threads or on the main thread.
///
/// A queue is serial unless it is made with the attribute `.concurrent`. Every
/// method may be called from any thread.
///
/// ```swift
/// let queue = DispatchQueue(label: "com.example.images")
/// queue.async { print("later, elsewhere") }
/// let sum = queue.sync { 1 + 1 }
/// ```
///
/// A queue lives until its pending work is done, however early the last
/// reference to it goes away. Releasing one that is suspended or inactive
/// traps.
///
/// Source: Apple's documentation of `DispatchQueue`.
public class DispatchQueue: DispatchObject, @unchecked Sendable {  // SAFETY: see Touching.
  @usableFromInline let state: QueueState
  /// What `sync` may do without asking further.
  @usableFromInline let entry: Entry
  @usableFromInline let list = ItemList()
  /// Behind `list`, hence on the cache line of its tail, which who submits has
  /// at hand.
  let level = QueueLevel()
  let invitation: Invitation
  /// Never changes. A variable has an address, which reports need; see `QueueGlance`.
  // SAFETY: written while it is made only.
  @exclusivity(unchecked) private(set) nonisolated(unsafe) final var shape: Shape
  /// The number of forks behind the process that last made sure that nothing of
  /// a parent's is left in it; see `DispatchQueue+Fork.swift`.
  let checkedIn: Atomic<UInt32>
  /// How urgent its items are by its own or its target's quality of service.
  // SAFETY: written before activation only, which QS1 publishes.
  private(set) nonisolated(unsafe) final var base: Urgency
  /// Its number in recordings.
  final let traceNumber = TraceQueueNumber()

  /// The name given when it was made.
  public final var label: String { name }
  /// Never changes; see `shape`.
  // SAFETY: written while it is made only.
  @exclusivity(unchecked) private nonisolated(unsafe) final var name: String
  /// The quality of service it was made with.
  public final let qos: DispatchQoS
  // SAFETY: written before activation only.
  private(set) nonisolated(unsafe) final var target: DispatchQueue?
  /// The target, also where that is a global queue, to whose items its own do not
  /// belong: they go to the pool without it. Not counted: a target is kept by
  /// `target`, and global queues are never freed.
  // SAFETY: written before activation only.
  @exclusivity(unchecked)
  private(set) nonisolated(unsafe) final var above: Unmanaged<DispatchQueue>?
  /// The values that it carries by key.
  @usableFromInline final let specifics = Specifics()
  /// Where it stands in the list of all queues.
  // SAFETY: read and written under the lock of that list.
  @exclusivity(unchecked) private nonisolated(unsafe) final var place = QueuePlace()

  enum Shape: UInt8 { case serial, concurrent, global, main, workloop }

  /// The ways into `sync` that need no look at anything else.
  @frozen @usableFromInline
  enum Entry {
    /// Ask: the queue has or may get a target, or is the main queue.
    case slow
    case serial, concurrent
    /// Run at once.
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
    // An inactive queue may yet get a target.
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

  /// Makes a queue of one's own.
  ///
  /// - Parameters:
  ///   - label: a name for reports, by convention in reverse-DNS style.
  ///   - qos: how urgent its work is.
  ///   - attributes: `.concurrent`, `.initiallyInactive`; without them serial
  ///     and active.
  ///   - autoreleaseFrequency: accepted, without effect: there are no pools.
  ///   - target: where its work runs in the end. The pool, if nil.
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

  /// Where its links stand. An object does not move, and its fields do not either.
  final var listing: QueuePlace.Pointer {
    withUnsafeMutablePointer(to: &place) { $0 }  // SAFETY: see `place`.
  }

  /// Where that stands in it which never changes. While it is made.
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
    // First: until then a report may look at it.
    QueueRegistry.shared.remove(self)
    TraceCapture.queueIsGone(address)
    let last = state.snapshot
    if last.bits != 0 { checkRelease(last) }
    if attachment.isSet { attachment.finish(on: finalTarget) }
    if target != nil { releaseTargets() }
  }

  /// Frees those targets that only this queue kept, one after the other: in a long
  /// chain each would free the next from within its own end.
  private final func releaseTargets() {
    var next = target
    target = nil
    while isKnownUniquelyReferenced(&next) {
      if let next { QueueRegistry.shared.remove(next) }
      let following = next?.target
      // SAFETY: nobody else has a reference to it, and no report looks at it any more.
      next?.target = nil
      next = following
    }
  }

  /// The queue on which its finalizer runs.
  private final var finalTarget: DispatchQueue {
    // SAFETY: its target is there until it is gone itself.
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

  /// Whether items never run side by side.
  @inline(__always)
  var isSerial: Bool { shape == .serial || shape == .main || shape == .workloop }

  // MARK: Target

  /// Makes `queue` the one on which this queue's work runs. Only before the
  /// queue is activated: afterwards it traps.
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
    TraceCapture.queueWasRetargeted(address)
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

  /// Whether the target of this queue, which has no other, is that global queue: it was
  /// given, or the queue is concurrent and was given none. A serial one is on no queue.
  private final func isUpon(global queue: DispatchQueue) -> Bool {
    above == nil && shape != .concurrent ? false : finalTarget === queue
  }

  // MARK: Halting

  /// Lets a queue made `.initiallyInactive` begin; nothing on an active one.
  public override func activate() {
    if Fork.hasHappened { checkFork() }
    if state.activate() == .enlist { enlist() }
  }

  /// Keeps the queue from starting items until ``resume()`` was called as
  /// often. What runs goes on. Without effect on global and main queues.
  public override func suspend() {
    if shape == .global || shape == .main { return }
    if !state.suspend() {
      clientBug("the queue \(quotedLabel) was suspended more than 16383 times without resume().")
    }
  }

  /// Takes back one ``suspend()``. Traps if there is none to take back.
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
