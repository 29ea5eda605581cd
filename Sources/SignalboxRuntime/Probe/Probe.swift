// Probe — each interesting step is one event behind one test of a mask.
//
// With no subscriber a probe is a load and a branch that is always predicted.
// With one it is a call; under a controlled scheduler, a point at which another
// thread may be made to run. The recorder is no subscriber: it is called directly, and told
// more (`TraceCapture`).
//
// Touching    the masks: any thread, atomically.

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
    // From here on the kinds share a bit: whoever listens to one of them pays for all.
    case wake
    case workerUnparked
    case operation

    /// Its bit of the mask, whose last two are others'.
    @inlinable var bit: UInt32 { 1 << UInt32(rawValue < 29 ? rawValue : 29) }

    /// Its bit among those that are recorded: no other kind has it.
    var recordedBit: UInt32 { 1 << UInt32(rawValue) }
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
  /// `CSB_PROBE_CHECK`, no kind's bit.
  @inlinable static var checkBit: UInt32 { 1 << 30 }

  #if SIGNALBOX_WITHOUT_PROBES
    // For `Scripts/probe-cost` alone, which says what the tests of the masks cost: the compiler
    // leaves out whatever is behind them.
    @inlinable @inline(__always) static var mask: UInt32 { 0 }
    @inlinable @inline(__always) static var heardMask: UInt32 { 0 }
    @inlinable @inline(__always) static var recordedMask: UInt32 { 0 }
  #else
    @inlinable @inline(__always) static var mask: UInt32 { csb_probe_mask_load() }
    @inlinable @inline(__always) static var heardMask: UInt32 { csb_probe_heard_load() }
    @inlinable @inline(__always) static var recordedMask: UInt32 { csb_probe_recorded_load() }
  #endif

  @inlinable @inline(__always)
  static func isOn(_ kind: ProbeEvent.Kind) -> Bool {
    mask & kind.bit != 0
  }

  @inlinable @inline(__always)
  package static func step(
    _ kind: ProbeEvent.Kind, _ object: UnsafeRawPointer?, _ detail: UInt64 = 0
  ) {
    if isOn(kind) { emit(kind, UInt(bitPattern: object), detail) }
  }

  // MARK: What happened, by name

  @inlinable @inline(__always)
  package static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) {
    if isOn(.itemSubmitted) { itemSubmittedSlow(item, queue, isJob: false) }
  }
  /// The same of a job of Swift's concurrency.
  @inlinable @inline(__always)
  package static func jobSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) {
    if isOn(.itemSubmitted) { itemSubmittedSlow(item, queue, isJob: true) }
  }
  @inlinable @inline(__always)
  package static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    if isOn(.itemStarted) { itemStartedSlow(item, queue) }
  }
  /// `item` is an address to compare: its memory is gone.
  @inlinable @inline(__always)
  package static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    if isOn(.itemFinished) { itemFinishedSlow(item, queue) }
  }
  /// Before a `sync` waits for its turn.
  ///
  /// - Returns: what `syncWillEnter` is to be told once it has it.
  @inline(__always)
  package static func syncWaits() -> UInt64 {
    recordedMask & ProbeEvent.Kind.syncEntered.recordedBit != 0
      ? TraceCapture.syncWaits() : 0
  }
  @inline(__always)
  package static func syncWillEnter(_ called: UInt64) {
    if called != 0 { TraceCapture.syncWillEnter(called) }
  }
  @inlinable @inline(__always)
  package static func syncEntered(_ queue: UnsafeRawPointer) {
    if isOn(.syncEntered) { syncEnteredSlow(queue) }
  }
  @inlinable @inline(__always)
  package static func syncLeft(_ queue: UnsafeRawPointer) {
    if isOn(.syncLeft) { syncLeftSlow(queue) }
  }
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
    mask & (lockBits | checkBit) != 0
  }
  @inlinable static var lockBits: UInt32 {
    ProbeEvent.Kind.lockTaken.bit | ProbeEvent.Kind.lockLeft.bit | ProbeEvent.Kind.lockFreed.bit
  }
  /// - Parameter byTry: whether the thread would not have waited for it for ever.
  @inlinable @inline(__always)
  package static func lockTaken(
    _ resource: @autoclosure () -> WaitResource, byTry: Bool = false
  ) {
    if mask & (ProbeEvent.Kind.lockTaken.bit | checkBit) != 0 {
      lockTakenSlow(resource(), byTry)
    }
  }
  /// Before the lock is left.
  @inlinable @inline(__always)
  package static func lockLeft(_ resource: @autoclosure () -> WaitResource) {
    if mask & (ProbeEvent.Kind.lockLeft.bit | checkBit) != 0 {
      lockLeftSlow(resource())
    }
  }
  /// Before the memory of the lock at this address is freed: the object of its
  /// `WaitResource`.
  @inlinable @inline(__always)
  package static func lockFreed(_ lock: UnsafeRawPointer) {
    if mask & (ProbeEvent.Kind.lockFreed.bit | checkBit) != 0 {
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

  /// - Parameter word: what the thread sleeps on: an address, or a descriptor.
  /// - Returns: what `waitEnded` is to be told.
  static func waitBegan(
    _ reason: WaitReason, on resource: WaitResource, word: UInt, hasDeadline: Bool
  ) -> TraceWait {
    guard isOn(.waitBegan) || isOn(.waitEnded) else { return .none }
    tell(.waitBegan, UInt(bitPattern: resource.object), UInt64(reason.rawValue))
    guard isRecorded(.waitBegan) else { return .none }
    return TraceCapture.waitBegan(reason, on: resource, word: word, hasDeadline: hasDeadline)
  }
  static func waitEnded(
    _ wait: TraceWait, _ reason: WaitReason, on resource: WaitResource, hasTimedOut: Bool
  ) {
    guard isOn(.waitEnded) else { return }
    tell(.waitEnded, UInt(bitPattern: resource.object), UInt64(reason.rawValue))
    if isRecorded(.waitEnded) { TraceCapture.waitEnded(wait, reason, hasTimedOut: hasTimedOut) }
  }
  /// Before those are woken who sleep on this word.
  @inlinable @inline(__always)
  static func wake(_ word: UInt) { if isOn(.wake) { wakeSlow(word) } }

  static func worker(_ kind: ProbeEvent.Kind, _ worker: WorkerPointer) {
    step(kind, UnsafeRawPointer(worker))
  }
  /// - Parameter thread: the number of the worker that is woken.
  static func workerWoken(_ worker: WorkerPointer, _ thread: UInt32) {
    guard isOn(.workerWoken) else { return }
    tell(.workerWoken, UInt(bitPattern: worker), 0)
    if isRecorded(.workerWoken) {
      TraceCapture.record(TraceStep(.workerWoken, b: thread), of: .current)
    }
  }

  /// When it is due, for `timerArmed`, by whoever may still read it.
  static func due(_ timer: TimerPointer) -> Deadline {
    Deadline(timer.pointee.clock, timer.pointee.deadline)
  }
  static func timerArmed(_ timer: TimerPointer, _ due: @autoclosure () -> Deadline) {
    guard isOn(.timerArmed) else { return }
    tell(.timerArmed, UInt(bitPattern: timer), 0)
    if isRecorded(.timerArmed) { TraceCapture.timerArmed(UInt(bitPattern: timer), due()) }
  }
  /// - Parameter isGone: whether what lies at its address from now on is another.
  static func timerCancelled(_ timer: TimerPointer, isGone: Bool) {
    guard isOn(.timerCancelled) else { return }
    tell(.timerCancelled, UInt(bitPattern: timer), 0)
    if isRecorded(.timerCancelled) {
      TraceCapture.timerCancelled(UInt(bitPattern: timer), isGone: isGone)
    }
  }
  /// Says how late it is, for which it reads the clock if anyone listens.
  static func timerFired(_ timer: TimerPointer, _ deadline: Deadline) {
    guard isOn(.timerFired) else { return }
    let now = deadline.clock.now
    let due = deadline.nanoseconds
    let late = now > due ? now - due : 0
    tell(.timerFired, UInt(bitPattern: timer), late)
    if isRecorded(.timerFired) {
      TraceCapture.timerFired(
        UInt(bitPattern: timer), late: late, isGone: !timer.pointee.isRepeating)
    }
  }

  /// An operation has come so far.
  ///
  /// - Parameter name: what the program calls it.
  package static func operation(
    _ step: TraceOperationStep, _ operation: UnsafeRawPointer, _ name: String
  ) {
    let address = UInt(bitPattern: operation)
    if isRecorded(.operation) { TraceCapture.operation(step, address, name) }
    tell(.operation, address, UInt64(step.rawValue))
  }
  /// Whether anyone wants to know of operations.
  @inlinable @inline(__always)
  package static var hearsOfOperations: Bool { isOn(.operation) }

  /// A step of a run loop, where anybody hears of it.
  @inline(never)
  package static func runLoopStep(_ loop: WaitResource, _ number: UInt64) {
    tell(.runLoopStep, UInt(bitPattern: loop.object), number)
    if isRecorded(.runLoopStep) { TraceCapture.runLoopStep(loop, number) }
  }

  // MARK: Slow path

  @inline(__always)
  static func isRecorded(_ kind: ProbeEvent.Kind) -> Bool { recordedMask & kind.recordedBit != 0 }

  /// To the handlers, if any want it.
  @inline(__always)
  static func tell(_ kind: ProbeEvent.Kind, _ object: UInt, _ detail: UInt64) {
    if heardMask & kind.bit != 0 { tellSlow(kind, object, detail) }
  }

  @inline(never)
  private static func tellSlow(_ kind: ProbeEvent.Kind, _ object: UInt, _ detail: UInt64) {
    ProbeSubscribers.shared.deliver(
      ProbeEvent(kind: kind, thread: csb_thread_number(), object: object, detail: detail))
  }

  @inline(never) @usableFromInline
  static func emit(_ kind: ProbeEvent.Kind, _ object: UInt, _ detail: UInt64) {
    if isRecorded(kind) { TraceCapture.take(kind, object, detail) }
    tell(kind, object, detail)
  }

  @inline(never) @usableFromInline
  static func itemSubmittedSlow(_ item: ItemPointer, _ queue: UnsafeRawPointer, isJob: Bool) {
    if isRecorded(.itemSubmitted) { TraceCapture.itemSubmitted(item, queue, isJob: isJob) }
    tell(.itemSubmitted, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  @inline(never) @usableFromInline
  static func itemStartedSlow(_ item: ItemPointer, _ queue: UnsafeRawPointer) {
    if isRecorded(.itemStarted) { TraceCapture.itemStarted(item, queue) }
    tell(.itemStarted, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  @inline(never) @usableFromInline
  static func itemFinishedSlow(_ item: ItemPointer, _ queue: UnsafeRawPointer) {
    if isRecorded(.itemFinished) { TraceCapture.itemFinished(item, queue) }
    tell(.itemFinished, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  @inline(never) @usableFromInline
  static func syncEnteredSlow(_ queue: UnsafeRawPointer) {
    if isRecorded(.syncEntered) { TraceCapture.syncEntered(queue) }
    tell(.syncEntered, UInt(bitPattern: queue), 0)
  }

  @inline(never) @usableFromInline
  static func syncLeftSlow(_ queue: UnsafeRawPointer) {
    if isRecorded(.syncLeft) { TraceCapture.queueStep(.syncLeft, queue) }
    tell(.syncLeft, UInt(bitPattern: queue), 0)
  }

  @inline(never) @usableFromInline
  static func wakeSlow(_ word: UInt) {
    if isRecorded(.wake) { TraceCapture.wake(word) }
    tell(.wake, word, 0)
  }

  @inline(never) @usableFromInline
  static func lockTakenSlow(_ lock: WaitResource, _ byTry: Bool) {
    if LockOrder.isOn { LockOrder.shared.taken(lock, byTry: byTry) }
    tell(.lockTaken, UInt(bitPattern: lock.object), 0)
    if isRecorded(.lockTaken) { TraceCapture.lock(.lockTaken, lock) }
  }

  @inline(never) @usableFromInline
  static func lockLeftSlow(_ lock: WaitResource) {
    if LockOrder.isOn { LockOrder.shared.left(lock) }
    tell(.lockLeft, UInt(bitPattern: lock.object), 0)
    if isRecorded(.lockLeft) { TraceCapture.lock(.lockLeft, lock) }
  }

  @inline(never) @usableFromInline
  static func lockFreedSlow(_ lock: UnsafeRawPointer) {
    if LockOrder.isOn { LockOrder.shared.freed(lock) }
    step(.lockFreed, lock)
  }
}
