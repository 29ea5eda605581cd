// Probe — each interesting step is one event behind one test of a mask.
//
// With no subscriber a probe is a load and a branch that is always predicted.
// With one it is a call; under a controlled scheduler, a point at which another
// thread may be made to run.
//
// Touching    the mask: any thread, atomically. `subscribers`: under its lock.

public import CSignalbox

/// A step that was taken.
@frozen @usableFromInline
package struct ProbeEvent: Sendable {
  @frozen @usableFromInline
  package enum Kind: UInt8, Sendable, CaseIterable {
    case itemSubmitted, itemStarted, itemFinished
    case syncEntered, syncLeft
    case drainBegan, drainEnded
    case workerStarted, workerEnded, workerParked, workerWoken
    case waitBegan, waitEnded
    case timerArmed, timerCancelled, timerFired
    case semaphoreTaken, semaphoreSignalled
    case groupEntered, groupLeft
    case onceAsked
    case loopBegan, loopEnded
    case lockTaken, lockLeft, lockFreed
    case threadStarted, threadEnded
    case runLoopStep

    @inlinable var bit: UInt32 { 1 << UInt32(rawValue) }
  }

  package let kind: Kind
  /// The number of the thread that took the step.
  package let thread: UInt32
  /// The queue, worker or resource. An address to compare, not to follow.
  package let object: UInt
  /// The item, or a number that belongs to the kind (a timer's lateness in
  /// nanoseconds, a wait's reason).
  package let detail: UInt64
}

@usableFromInline
package enum Probe {
  /// `CSB_PROBE_FORKED`, which is no kind's bit.
  @inlinable static var forkedBit: UInt32 { 1 << 31 }

  /// `CSB_PROBE_CHECK`, no kind's bit either.
  @inlinable static var checkBit: UInt32 { 1 << 30 }

  /// Whether this is the child of a process that used this library.
  @inlinable @inline(__always)
  package static var isInForkedChild: Bool { csb_probe_mask_load() & forkedBit != 0 }

  @inlinable @inline(__always)
  static func isOn(_ kind: ProbeEvent.Kind) -> Bool {
    csb_probe_mask_load() & kind.bit != 0
  }

  @inlinable @inline(__always)
  package static func step(
    _ kind: ProbeEvent.Kind, _ object: UnsafeRawPointer?, _ detail: UInt64 = 0
  ) {
    if isOn(kind) { emit(kind, UInt(bitPattern: object), detail) }
  }

  // MARK: What happened, by name

  // These three are also where a forked child looks twice: one test of the mask
  // serves both. See Fork/ForkedSteps.swift.

  /// - Returns: whether this is a forked child, where the queue may be the
  ///   parent's.
  @inlinable @inline(__always)
  package static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) -> Bool {
    csb_probe_mask_load() & (ProbeEvent.Kind.itemSubmitted.bit | forkedBit) != 0
      && ForkedSteps.itemSubmitted(item, to: queue)
  }
  @inlinable @inline(__always)
  package static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    if csb_probe_mask_load() & (ProbeEvent.Kind.itemStarted.bit | forkedBit) != 0 {
      ForkedSteps.itemStarted(item, on: queue)
    }
  }
  /// `item` is an address to compare: its memory is gone.
  ///
  /// - Returns: whether the item has forked the process, and this is the child.
  @inlinable @inline(__always)
  package static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer) -> Bool {
    csb_probe_mask_load() & (ProbeEvent.Kind.itemFinished.bit | forkedBit) != 0
      && ForkedSteps.itemFinished(item, on: queue)
  }
  @inlinable @inline(__always)
  package static func syncEntered(_ queue: UnsafeRawPointer) { step(.syncEntered, queue) }
  @inlinable @inline(__always)
  package static func syncLeft(_ queue: UnsafeRawPointer) { step(.syncLeft, queue) }
  @inlinable @inline(__always)
  package static func drainBegan(_ queue: UnsafeRawPointer) { step(.drainBegan, queue) }
  @inlinable @inline(__always)
  package static func drainEnded(_ queue: UnsafeRawPointer) { step(.drainEnded, queue) }

  @inlinable @inline(__always)
  package static func semaphoreTaken(_ semaphore: UnsafeRawPointer) {
    step(.semaphoreTaken, semaphore)
  }
  @inlinable @inline(__always)
  package static func semaphoreSignalled(_ semaphore: UnsafeRawPointer) {
    step(.semaphoreSignalled, semaphore)
  }
  @inlinable @inline(__always)
  package static func groupEntered(_ group: UnsafeRawPointer) { step(.groupEntered, group) }
  @inlinable @inline(__always)
  package static func groupLeft(_ group: UnsafeRawPointer) { step(.groupLeft, group) }
  @inlinable @inline(__always)
  package static func onceAsked(_ once: UnsafeRawPointer) { step(.onceAsked, once) }
  // These are also where the order of locks is learned: one test of the mask serves
  // both. See Deadlock/LockOrder.swift.

  /// Whether anyone wants to know of locks taken, left and freed.
  @inlinable @inline(__always)
  package static var hearsOfLocks: Bool {
    csb_probe_mask_load() & (lockBits | checkBit) != 0
  }
  @inlinable static var lockBits: UInt32 {
    ProbeEvent.Kind.lockTaken.bit | ProbeEvent.Kind.lockLeft.bit | ProbeEvent.Kind.lockFreed.bit
  }
  /// - Parameter byTry: whether the thread would not have waited for it for ever.
  @inlinable @inline(__always)
  package static func lockTaken(
    _ resource: @autoclosure () -> WaitResource, byTry: Bool = false
  ) {
    if csb_probe_mask_load() & (ProbeEvent.Kind.lockTaken.bit | checkBit) != 0 {
      lockTakenSlow(resource(), byTry)
    }
  }
  /// Before the lock is left.
  @inlinable @inline(__always)
  package static func lockLeft(_ resource: @autoclosure () -> WaitResource) {
    if csb_probe_mask_load() & (ProbeEvent.Kind.lockLeft.bit | checkBit) != 0 {
      lockLeftSlow(resource())
    }
  }
  /// Before the memory of the lock at this address is freed: the object of its
  /// `WaitResource`.
  @inlinable @inline(__always)
  package static func lockFreed(_ lock: UnsafeRawPointer) {
    if csb_probe_mask_load() & (ProbeEvent.Kind.lockFreed.bit | checkBit) != 0 {
      lockFreedSlow(lock)
    }
  }
  /// Whether anyone wants to know of the steps of run loops.
  @inlinable @inline(__always)
  package static var hearsOfLoops: Bool { isOn(.runLoopStep) }

  package static func loopBegan(_ iterations: Int) {
    step(.loopBegan, nil, UInt64(truncatingIfNeeded: iterations))
  }
  package static func loopEnded(_ iterations: Int) {
    step(.loopEnded, nil, UInt64(truncatingIfNeeded: iterations))
  }

  static func waitBegan(_ reason: WaitReason, on resource: WaitResource) {
    step(.waitBegan, resource.object, UInt64(reason.rawValue))
  }
  static func waitEnded(_ reason: WaitReason, on resource: WaitResource) {
    step(.waitEnded, resource.object, UInt64(reason.rawValue))
  }
  static func worker(_ kind: ProbeEvent.Kind, _ worker: WorkerPointer) {
    step(kind, UnsafeRawPointer(worker))
  }
  static func timer(_ kind: ProbeEvent.Kind, _ timer: UnsafeRawPointer) {
    step(kind, timer)
  }
  /// Says how late it is, for which it reads the clock if anyone listens.
  static func timerFired(_ timer: TimerPointer, _ deadline: Deadline) {
    guard isOn(.timerFired) else { return }
    let now = deadline.clock.now
    let due = deadline.nanoseconds
    emit(.timerFired, UInt(bitPattern: timer), now > due ? now - due : 0)
  }

  // MARK: Slow path

  @inline(never) @usableFromInline
  static func lockTakenSlow(_ lock: WaitResource, _ byTry: Bool) {
    if LockOrder.isOn { LockOrder.shared.taken(lock, byTry: byTry) }
    step(.lockTaken, lock.object)
  }

  @inline(never) @usableFromInline
  static func lockLeftSlow(_ lock: WaitResource) {
    if LockOrder.isOn { LockOrder.shared.left(lock) }
    step(.lockLeft, lock.object)
  }

  @inline(never) @usableFromInline
  static func lockFreedSlow(_ lock: UnsafeRawPointer) {
    if LockOrder.isOn { LockOrder.shared.freed(lock) }
    step(.lockFreed, lock)
  }

  @inline(never) @usableFromInline
  static func emit(_ kind: ProbeEvent.Kind, _ object: UInt, _ detail: UInt64) {
    ProbeSubscribers.shared.deliver(
      ProbeEvent(kind: kind, thread: csb_thread_number(), object: object, detail: detail))
  }
}

/// Who is told of which steps.
package final class ProbeSubscribers: Sendable {
  package static let shared = ProbeSubscribers()

  package typealias Handler = @Sendable (ProbeEvent) -> Void

  private struct Subscriber {
    let id: Int
    let mask: UInt32
    let handler: Handler
  }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var subscribers: [Subscriber] = []
  private nonisolated(unsafe) var lastID = 0

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Calls `handler` at every step of `kinds`, on the thread that takes the
  /// step. The handler must not wait.
  package func subscribe(
    to kinds: [ProbeEvent.Kind], _ handler: @escaping Handler
  ) -> Int {
    ForkProtocol.arrange()
    let mask = kinds.reduce(UInt32(0)) { $0 | $1.bit }
    return lock.withLock {
      lastID += 1
      subscribers.append(Subscriber(id: lastID, mask: mask, handler: handler))
      csb_probe_mask_set(mask)
      return lastID
    }
  }

  /// The handler may still be called for steps already under way.
  package func unsubscribe(_ id: Int) {
    let old = lock.withLock {
      let old = subscribers
      subscribers.removeAll { $0.id == id }
      let wanted = subscribers.reduce(UInt32(0)) { $0 | $1.mask }
      csb_probe_mask_clear(~wanted)
      return old
    }
    // Handlers are freed here, after the lock is left.
    _ = old
  }

  func deliver(_ event: ProbeEvent) {
    let all = lock.withLock { subscribers }
    for subscriber in all where subscriber.mask & event.kind.bit != 0 {
      subscriber.handler(event)
    }
  }
}
