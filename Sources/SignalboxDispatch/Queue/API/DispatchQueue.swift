// DispatchQueue — a queue that runs submitted work in order, serially or concurrently.
//
// The queue is a word (`QueueState`) and a list (`ItemList`). When it has work and no owner, it
// *schedules*: its drain task, an item that is part of the queue, goes to its target queue or to
// the pool. The thread that runs the drain task takes the queue and drains it; see
// `DispatchQueue+Drain.swift`.
//
// Touching    `record`: see `QueueRecord`. `target`: written only by the thread that created the
//             queue, before activation, and by a later owner, as `DispatchQueue+Retarget.swift`
//             says; read by any thread. The rest never changes.

import CSignalbox
import SignalboxDiagnostics
public import SignalboxRuntime
import Synchronization

/// An object that runs submitted work in order, on the pool's threads or on the main thread.
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
  @usableFromInline final let record: QueueRecord

  /// The label that the queue was created with.
  public final var label: String { record.label }
  /// The quality of service that the queue was created with.
  public final var qos: DispatchQoS { ownQoS }
  // SAFETY: written only before activation, which QS1 publishes.
  @exclusivity(unchecked) private nonisolated(unsafe) final var ownQoS: DispatchQoS
  // SAFETY: the target is retained, and an active queue keeps the targets that it had.
  final var target: DispatchQueue? { targetWord.load()?.takeUnretainedValue() }
  /// Written as Touching says for `target`.
  private let targetWord: SingleWriter<Unmanaged<DispatchQueue>?>
  /// The queue's values by key.
  @usableFromInline final let specifics = Specifics()

  enum Shape: UInt8 {
    case serial, concurrent, global, main, workloop

    /// Describes the numbers to readers in other processes.
    static func describe() {
      OutsideTable.constant("shape", "serial", Shape.serial.rawValue)
      OutsideTable.constant("shape", "concurrent", Shape.concurrent.rawValue)
      OutsideTable.constant("shape", "global", Shape.global.rawValue)
      OutsideTable.constant("shape", "main", Shape.main.rawValue)
      OutsideTable.constant("shape", "workloop", Shape.workloop.rawValue)
    }

    /// The widths that the toolchain's library gives its queues.
    var widthForC: UInt16 {
      switch self {
      case .serial, .main, .workloop: 1
      case .concurrent: 0xFFE
      case .global: 0xFFF
      }
    }
  }

  /// How `sync` enters a queue. All cases but `slow` and `retargetable` need no further check.
  @frozen @usableFromInline
  enum Entry {
    /// Check further: the queue has a target, was created inactive and may get one, or is a
    /// workloop or the main queue.
    case slow
    /// The same, and C code may give the queue another target while it is active.
    case retargetable
    case serial, concurrent
    /// Run the work at once.
    case global
  }

  /// - Parameters:
  ///   - retargetable: whether the queue may get another target while it is active.
  ///   - ordered: the address of a workloop's ordered lists.
  init(
    shape: Shape, label: String, qos: DispatchQoS, inactive: Bool, target: DispatchQueue?,
    retargetable: Bool = false, ordered: UInt = 0
  ) {
    _ = ForkedQueues.arranged
    ownQoS = qos
    let own = target?.shape == .global ? nil : target
    targetWord = SingleWriter(own.map { Unmanaged.passRetained($0) })  // SAFETY: see `target`.
    // A retargetable or inactive queue may get a target later.
    let entry: Entry =
      retargetable
      ? .retargetable
      : inactive || own != nil ? .slow : DispatchQueue.directEntry(of: shape)
    record = QueueRecord(
      shape: shape, label: label, entry: entry, inactive: inactive,
      base: qos.urgency.or(target?.base ?? .unspecified),
      above: target.map { Unmanaged.passUnretained($0) },  // SAFETY: see `above`.
      ordered: ordered)
    super.init(.queue)
    record.drainTask.address(to: self)
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

  deinit {
    // Do this first, because a report may look at the queue until then.
    QueueRegistry.shared.remove(self)
    Probe.queueFreed(address)
    record.times.end()
    let last = state.snapshot
    if last.bits != 0 { checkRelease(last) }
    if attachment.isSet { attachment.finish(on: finalTarget) }
    releaseTargets()
  }

  /// Frees the targets that only this queue keeps, one after the other. Otherwise each target in
  /// a long chain would free the next one in its own deinitializer, and the stack could overflow.
  private final func releaseTargets() {
    var next = takeTarget()
    while isKnownUniquelyReferenced(&next) {
      // After this removal no report looks at the object, and `next` is the only reference to it.
      if let next { QueueRegistry.shared.remove(next) }
      next = next?.takeTarget()
    }
  }

  /// Takes the reference to the target out of a queue that no thread uses any more.
  private final func takeTarget() -> DispatchQueue? {
    let target = targetWord.load()
    targetWord.store(nil)
    return target?.takeRetainedValue()  // SAFETY: retained; see `target`.
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
    if (last.isOwned || last.hasShared || last.isScheduled) && !isLeftByParent {
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
    checkCycle(queue)
    point(at: queue)
  }

  final func checkCycle(_ queue: DispatchQueue) {
    if queue.reaches(self) {
      clientBug(
        "the queue \(quotedLabel) would become its own target through \(queue.quotedLabel).")
    }
  }

  /// Makes `queue` the target, or the pool if it is nil. Only the thread that created an inactive
  /// queue, or the owner, may call it.
  final func point(at queue: DispatchQueue?) {
    let former = targetWord.load()
    let own = queue?.shape == .global ? nil : queue
    targetWord.store(own.map { Unmanaged.passRetained($0) })  // SAFETY: see `target`.
    former?.release()  // SAFETY: as above.
    record.head.above.store(queue.map { Unmanaged.passUnretained($0) })  // SAFETY: see `above`.
    record.base.store(qos.urgency.or(queue?.base ?? .unspecified).rawValue)
    Probe.queueRetargeted(address)
  }

  /// Gives the queue a quality of service, as if it had been created with it. The queue must be
  /// inactive.
  final func assign(_ qos: DispatchQoS) {
    ownQoS = qos
    record.base.store(
      qos.urgency.or(above?._withUnsafeGuaranteedRef(\.base) ?? .unspecified).rawValue)
  }

  private final func refuseTarget(_ queue: DispatchQueue) -> Never {
    clientBug(
      "setTarget(queue: \(queue.quotedLabel)) on the workloop \(quotedLabel): a workloop cannot "
        + "have a target. Make it the target of other queues.")
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

  /// Whether this queue, whose target is a global queue or nil, runs on `queue`. Without a target,
  /// a concurrent queue runs on the global queue of its class, and a serial queue on no queue.
  private final func isUpon(global queue: DispatchQueue) -> Bool {
    above == nil && shape != .concurrent ? false : finalTarget === queue
  }

  // MARK: Halting

  /// Activates a queue that was created `.initiallyInactive`. It does nothing on an active queue.
  public override func activate() {
    if Fork.hasHappened { checkFork() }
    if state.activate() == .schedule { schedule() }
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
          + (state.snapshot.isInactive ? "; to start an inactive queue, call activate()." : "."))
    }
    if duty == .schedule { schedule() }
  }
}

// MARK: The record

extension DispatchQueue {
  @usableFromInline final var state: QueueState { @_transparent _read { yield record.state } }
  @usableFromInline final var list: ItemList { @_transparent _read { yield record.list } }
  @usableFromInline final var entry: Entry { @_transparent get { record.entry } }
  final var level: QueueLevel { @_transparent _read { yield record.level } }
  final var shape: Shape { @_transparent get { record.shape } }
  /// The urgency of the queue's own quality of service, or else of its target's.
  final var base: Urgency { Urgency(rawValue: record.base.load()) }

  /// The target, including a global one. Items of a queue on a global target go to the pool
  /// directly and do not belong to the global queue. The reference is not counted: `target` keeps
  /// a target, and global queues are never freed.
  final var above: Unmanaged<DispatchQueue>? { @_transparent get { record.head.above.load() } }

  /// The address of the record. An object and its fields do not move.
  final var recordPointer: QueueRecord.Pointer {
    withUnsafePointer(to: record) { UnsafeMutablePointer(mutating: $0) }
  }
}
