// Probe — one call per engine event, behind one test of a mask.
//
// A probe without a subscriber costs a load and a well-predicted branch. With a
// subscriber it calls the handler; a controlled scheduler uses that call as a
// point at which it may switch to another thread. The recorder does not
// subscribe: probes call it directly and pass it more detail (`TraceCapture`).
//
// Touching    the masks: any thread, atomically.

public import CSignalbox

/// One engine event.
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
    // The kinds from here on share one bit: a subscriber to one of them pays
    // for all of them.
    case wake
    case workerUnparked
    case operation

    /// The bit of this kind in the mask. The mask's last two bits have other
    /// uses.
    @inlinable var bit: UInt32 { 1 &<< UInt32(rawValue < 29 ? rawValue : 29) }

    /// The bit of this kind in the recorded mask. Each kind has its own.
    var recordedBit: UInt32 { 1 &<< UInt32(rawValue) }
  }

  package let kind: Kind
  /// The number of the thread on which the event happened.
  package let thread: UInt32
  /// The queue, worker or resource: an address to compare, not to dereference.
  package let object: UInt
  /// The item, or a number that belongs to the kind (a timer's lateness in
  /// nanoseconds, a wait's reason).
  package let detail: UInt64
}

@usableFromInline
package enum Probe {
  /// The bit for `CSB_PROBE_CHECK`. No kind uses it.
  @inlinable static var checkBit: UInt32 { 1 << 30 }

  #if SIGNALBOX_WITHOUT_PROBES
    // Only for `Scripts/probe-cost`, which measures the cost of the mask tests:
    // with constant masks, the compiler removes the code behind them.
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
  /// Like `itemSubmitted`, for a job of Swift concurrency.
  @inlinable @inline(__always)
  package static func jobSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) {
    if isOn(.itemSubmitted) { itemSubmittedSlow(item, queue, isJob: true) }
  }
  @inlinable @inline(__always)
  package static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    if isOn(.itemStarted) { itemStartedSlow(item, queue) }
  }
  /// `item` is only an address to compare; its memory is already freed.
  @inlinable @inline(__always)
  package static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    if isOn(.itemFinished) { itemFinishedSlow(item, queue) }
  }
  /// Call before a `sync` blocks.
  ///
  /// - Returns: the value to pass to `syncWillEnter` once the `sync` has its
  ///   turn.
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
  // The lock probes also feed the lock-order check (Deadlock/LockOrder.swift),
  // so one test of the mask serves both.

  /// Whether a subscriber, the recorder or the lock-order check wants lock
  /// events.
  @inlinable @inline(__always)
  package static var hearsOfLocks: Bool {
    mask & (lockBits | checkBit) != 0
  }
  @inlinable static var lockBits: UInt32 {
    ProbeEvent.Kind.lockTaken.bit | ProbeEvent.Kind.lockLeft.bit | ProbeEvent.Kind.lockFreed.bit
  }
  /// - Parameter byTry: whether the thread would have given up instead of
  ///   waiting without limit.
  @inlinable @inline(__always)
  package static func lockTaken(
    _ resource: @autoclosure () -> WaitResource, byTry: Bool = false
  ) {
    if mask & (ProbeEvent.Kind.lockTaken.bit | checkBit) != 0 {
      lockTakenSlow(resource(), byTry)
    }
  }
  /// Call before the unlock.
  @inlinable @inline(__always)
  package static func lockLeft(_ resource: @autoclosure () -> WaitResource) {
    if mask & (ProbeEvent.Kind.lockLeft.bit | checkBit) != 0 {
      lockLeftSlow(resource())
    }
  }
  /// Call before the memory of the lock is freed. `lock` is the object of the
  /// lock's `WaitResource`.
  @inlinable @inline(__always)
  package static func lockFreed(_ lock: UnsafeRawPointer) {
    if mask & (ProbeEvent.Kind.lockFreed.bit | checkBit) != 0 {
      lockFreedSlow(lock)
    }
  }
  /// Whether a subscriber or the recorder wants run-loop events.
  @inlinable @inline(__always)
  package static var hearsOfLoops: Bool { isOn(.runLoopStep) }

  package static func loopBegan(_ iterations: Int) {
    step(.loopBegan, nil, UInt64(truncatingIfNeeded: iterations))
  }
  package static func loopEnded(_ iterations: Int) {
    step(.loopEnded, nil, UInt64(truncatingIfNeeded: iterations))
  }

  /// - Parameter word: the futex word's address, or the descriptor, on which
  ///   the thread sleeps.
  /// - Returns: the value to pass to `waitEnded`.
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
  /// Call before waking the threads that sleep on this word.
  @inlinable @inline(__always)
  static func wake(_ word: UInt) { if isOn(.wake) { wakeSlow(word) } }

  static func worker(_ kind: ProbeEvent.Kind, _ worker: WorkerPointer) {
    step(kind, UnsafeRawPointer(worker))
  }
  /// - Parameter thread: the thread number of the worker to wake.
  static func workerWoken(_ worker: WorkerPointer, _ thread: UInt32) {
    guard isOn(.workerWoken) else { return }
    tell(.workerWoken, UInt(bitPattern: worker), 0)
    if isRecorded(.workerWoken) {
      TraceCapture.record(TraceStep(.workerWoken, b: thread), of: .current)
    }
  }

  /// The timer's deadline, for `timerArmed`. The caller must still be allowed
  /// to read the timer.
  static func due(_ timer: TimerPointer) -> Deadline {
    Deadline(timer.pointee.clock, timer.pointee.deadline)
  }
  static func timerArmed(_ timer: TimerPointer, _ due: @autoclosure () -> Deadline) {
    guard isOn(.timerArmed) else { return }
    tell(.timerArmed, UInt(bitPattern: timer), 0)
    if isRecorded(.timerArmed) { TraceCapture.timerArmed(UInt(bitPattern: timer), due()) }
  }
  /// - Parameter isGone: whether the address may belong to another timer from
  ///   now on.
  static func timerCancelled(_ timer: TimerPointer, isGone: Bool) {
    guard isOn(.timerCancelled) else { return }
    tell(.timerCancelled, UInt(bitPattern: timer), 0)
    if isRecorded(.timerCancelled) {
      TraceCapture.timerCancelled(UInt(bitPattern: timer), isGone: isGone)
    }
  }
  /// Reports how late the timer fires. Reads the clock only if the event is
  /// wanted.
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

  /// Reports that an operation reached `step`.
  ///
  /// - Parameter name: the operation's name.
  package static func operation(
    _ step: TraceOperationStep, _ operation: UnsafeRawPointer, _ name: String
  ) {
    let address = UInt(bitPattern: operation)
    if isRecorded(.operation) { TraceCapture.operation(step, address, name) }
    tell(.operation, address, UInt64(step.rawValue))
  }
  /// Whether a subscriber or the recorder wants operation events.
  @inlinable @inline(__always)
  package static var hearsOfOperations: Bool { isOn(.operation) }

  /// Reports a step of a run loop. Test `hearsOfLoops` first.
  @inline(never)
  package static func runLoopStep(_ loop: WaitResource, _ number: UInt64) {
    tell(.runLoopStep, UInt(bitPattern: loop.object), number)
    if isRecorded(.runLoopStep) { TraceCapture.runLoopStep(loop, number) }
  }

  // MARK: Slow path

  @inline(__always)
  static func isRecorded(_ kind: ProbeEvent.Kind) -> Bool { recordedMask & kind.recordedBit != 0 }

  /// Calls the handlers that subscribe to `kind`.
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
