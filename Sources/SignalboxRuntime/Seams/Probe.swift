// Probe — one call per engine event, behind one test of a mask.
//
// Without an observer, a probe costs a load and a well-predicted branch: it tests whether the word
// is 0. If not, it looks for its bit in the mask, which is half of the word. If that bit is set, it
// calls the observer of the process (`Observer`). A controlled scheduler may switch to another
// thread in that call. The mask combines two others: what subscribers receive (`heardMask`) and
// what is recorded (`recordedMask`). The other half of the word belongs to tools in other
// processes, which ask for a recording (`AskedRecording`), and to tracers, which receive events
// without an observer (`Tracepoints`).
//
// Touching    the word and the masks: any thread, atomically.

public import CSignalbox

@usableFromInline
package enum Probe {
  /// The bit for `CSB_PROBE_CHECK`, with which the observer asks for the calls about locks.
  /// No kind uses it.
  @inlinable package static var checkBit: UInt32 { 1 }

  #if SIGNALBOX_WITHOUT_PROBES
    // Only for `Scripts/probe-cost`, which measures the cost of the mask tests:
    // with a constant word and constant masks, the compiler removes the code behind them.
    @inlinable @inline(__always) static var word: UInt64 { 0 }
    @inlinable @inline(__always) package static var mask: UInt32 { 0 }
    @inlinable @inline(__always) package static var heardMask: UInt32 { 0 }
    @inlinable @inline(__always) package static var recordedMask: UInt32 { 0 }
  #else
    @inlinable @inline(__always) static var word: UInt64 { csb_probe_word_load() }
    @inlinable @inline(__always) package static var mask: UInt32 { csb_probe_mask_load() }
    @inlinable @inline(__always) package static var heardMask: UInt32 { csb_probe_heard_load() }
    @inlinable @inline(__always) package static var recordedMask: UInt32 {
      csb_probe_recorded_load()
    }
  #endif

  @inlinable @inline(__always)
  static func isOn(_ kind: EventKind) -> Bool {
    word != 0 && isWanted(kind.bit)
  }

  /// Whether the mask has one of these bits, or a tracer listens to their events. Called if the
  /// word is not 0.
  @inline(never) @usableFromInline
  static func isWanted(_ bits: UInt32) -> Bool {
    if csb_probe_asked_load() != 0 { AskedRecording.notice(at: bits) }
    return (mask | Tracepoints.wanted) & bits != 0
  }

  @inlinable @inline(__always)
  package static func step(
    _ kind: EventKind, _ object: UnsafeRawPointer?, _ detail: UInt64 = 0
  ) {
    if isOn(kind) { emit(kind, UInt(bitPattern: object), detail) }
  }

  // MARK: Events by name

  @inlinable @inline(__always)
  package static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) {
    if isOn(.itemSubmitted) { itemSubmittedSlow(item, queue, isJob: false) }
  }
  /// Like `itemSubmitted`, for a job of Swift concurrency.
  ///
  /// - Parameter isInPlace: whether the item is in the job's own memory: see `Item.overlay`.
  @inlinable @inline(__always)
  package static func jobSubmitted(
    _ item: ItemPointer, to queue: UnsafeRawPointer, isInPlace: Bool
  ) {
    if isOn(.itemSubmitted) { itemSubmittedSlow(item, queue, isJob: isInPlace) }
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
    recordedMask & EventKind.syncEntered.bit != 0 ? observer?.syncWaits() ?? 0 : 0
  }
  @inline(__always)
  package static func syncWillEnter(_ called: UInt64) {
    if called != 0 { observer?.syncWillEnter(calledAt: called) }
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
  // The observer's check of lock orders uses the lock probes too, so one test of the mask
  // serves both.

  /// Whether the observer or the lock-order check wants lock events.
  @inlinable @inline(__always)
  package static var wantsLocks: Bool {
    word != 0 && isWanted(EventKind.lockTaken.bit | EventKind.lockLeft.bit | checkBit)
  }
  /// - Parameter byTry: whether the thread would have given up instead of
  ///   waiting without limit.
  @inlinable @inline(__always)
  package static func lockTaken(
    _ resource: @autoclosure () -> WaitResource, byTry: Bool = false
  ) {
    if word != 0, isWanted(EventKind.lockTaken.bit | checkBit) {
      lockTakenSlow(resource(), byTry)
    }
  }
  /// Call before the unlock.
  @inlinable @inline(__always)
  package static func lockLeft(_ resource: @autoclosure () -> WaitResource) {
    if word != 0, isWanted(EventKind.lockLeft.bit | checkBit) {
      lockLeftSlow(resource())
    }
  }
  /// Whether the observer wants run-loop events.
  @inlinable @inline(__always)
  package static var wantsLoops: Bool { isOn(.runLoopStep) }

  package static func loopBegan(_ iterations: Int) {
    step(.loopBegan, nil, UInt64(truncatingIfNeeded: iterations))
  }
  package static func loopEnded(_ iterations: Int) {
    step(.loopEnded, nil, UInt64(truncatingIfNeeded: iterations))
  }

  /// - Parameter word: the futex word's address, or the descriptor, on which
  ///   the thread sleeps.
  static func waitBegan(
    _ reason: WaitReason, on resource: WaitResource, word: UInt, hasDeadline: Bool
  ) {
    guard isOn(.waitBegan) || isOn(.waitEnded) else { return }
    waitBeganSlow(reason, on: resource, word: word, hasDeadline: hasDeadline)
  }
  static func waitEnded(_ reason: WaitReason, on resource: WaitResource, hasTimedOut: Bool) {
    if isOn(.waitEnded) { waitEndedSlow(reason, on: resource, hasTimedOut: hasTimedOut) }
  }
  /// Call before waking the threads that sleep on this word.
  @inlinable @inline(__always)
  static func wake(_ word: UInt) { if isOn(.wake) { wakeSlow(word) } }

  static func worker(_ kind: EventKind, _ worker: WorkerPointer) {
    step(kind, UnsafeRawPointer(worker))
  }
  // These have tracepoints only, and so no bit.
  static func workerBegan(_ worker: WorkerPointer) {
    if isTraced { Tracepoints.workerBegan(worker) }
  }
  static func workerEnded(_ worker: WorkerPointer) {
    if isTraced { Tracepoints.workerEnded(worker) }
  }
  /// - Parameters:
  ///   - running: the workers of the pool that still run.
  ///   - total: all workers of the pool.
  ///   - isReplaced: whether another worker is to run in its place.
  static func workerBlocked(_ worker: WorkerPointer, running: Int, total: Int, isReplaced: Bool) {
    if isTraced {
      Tracepoints.workerBlocked(worker, running: running, total: total, isReplaced: isReplaced)
    }
  }
  static func workerUnblocked(_ worker: WorkerPointer) {
    if isTraced { Tracepoints.workerUnblocked(worker) }
  }
  @inline(__always)
  private static var isTraced: Bool { word != 0 && Tracepoints.isOn }

  /// - Parameter thread: the thread number of the worker to wake.
  static func workerWoken(_ worker: WorkerPointer, _ thread: UInt32) {
    if isOn(.workerWoken) { observer?.workerWoken(worker, thread: thread) }
  }

  /// The timer's deadline, for `timerArmed`. The caller must still be allowed
  /// to read the timer.
  static func due(_ timer: TimerPointer) -> Deadline {
    Deadline(timer.pointee.clock, timer.pointee.deadline)
  }
  /// - Parameter time: when the timer was set, if it may have fired since; 0 for now.
  static func timerArmed(
    _ timer: TimerPointer, _ due: @autoclosure () -> Deadline, at time: UInt64 = 0
  ) {
    if isOn(.timerArmed) { observer?.timerArmed(timer, due(), at: time) }
  }
  /// The time for `timerArmed`; 0 if the event is not wanted.
  static var timeOfArming: UInt64 { isOn(.timerArmed) ? Clock.uptime.now : 0 }
  /// - Parameter isGone: whether the address may belong to another timer from
  ///   now on.
  static func timerCancelled(_ timer: TimerPointer, isGone: Bool) {
    if isOn(.timerCancelled) { observer?.timerCancelled(timer, isGone: isGone) }
  }
  /// Reports how late the timer fires. Reads the clock only if the event is
  /// wanted.
  static func timerFired(_ timer: TimerPointer, _ deadline: Deadline) {
    guard isOn(.timerFired) else { return }
    let now = deadline.clock.now
    let due = deadline.nanoseconds
    let lateness = now > due ? now - due : 0
    if Tracepoints.isOn { csb_usdt_timer_fired(timer, lateness) }
    observer?.timerFired(timer, lateness: lateness)
  }

  /// Reports that an operation reached `step`. Test `wantsOperations` first.
  ///
  /// - Parameter name: the operation's name.
  package static func operation(
    _ step: OperationStep, _ operation: UnsafeRawPointer, _ name: String
  ) {
    observer?.operation(step, UInt(bitPattern: operation), name)
  }
  /// Whether the observer wants operation events.
  @inlinable @inline(__always)
  package static var wantsOperations: Bool { isOn(.operation) }

  /// Reports a step of a run loop. Test `wantsLoops` first.
  @inline(never)
  package static func runLoopStep(_ loop: WaitResource, _ number: UInt64) {
    observer?.runLoopStep(loop, number)
  }

  // MARK: Objects that a recording identifies by address

  // These probes test only whether anything is recorded; the probe of a lock also tests whether
  // lock orders are checked. They report that the life of an address ends or that a name changes,
  // and have no bit of their own.

  /// Whether the end of a lock must be reported.
  @inlinable @inline(__always)
  package static var wantsFreedLocks: Bool { mask & checkBit | recordedMask != 0 }

  /// Call before the memory of the lock is freed. `lock` is the object of the
  /// lock's `WaitResource`.
  @inlinable @inline(__always)
  package static func lockFreed(_ lock: UnsafeRawPointer) {
    if wantsFreedLocks { lockFreedSlow(lock) }
  }
  /// Call before the memory of the object is freed.
  @inlinable @inline(__always)
  package static func queueFreed(_ queue: UnsafeRawPointer) {
    if recordedMask != 0 { queueFreedSlow(queue) }
  }
  @inlinable @inline(__always)
  package static func semaphoreFreed(_ semaphore: UnsafeRawPointer) {
    if recordedMask != 0 { semaphoreFreedSlow(semaphore) }
  }
  @inlinable @inline(__always)
  package static func groupFreed(_ group: UnsafeRawPointer) {
    if recordedMask != 0 { groupFreedSlow(group) }
  }
  @inlinable @inline(__always)
  package static func queueRetargeted(_ queue: UnsafeRawPointer) {
    if recordedMask != 0 { queueRetargetedSlow(queue) }
  }
  static func threadNamed() {
    if recordedMask != 0 { observer?.threadNamed() }
  }

  // MARK: Slow path

  @inline(never) @usableFromInline
  static func emit(_ kind: EventKind, _ object: UInt, _ detail: UInt64) {
    observer?.occurred(kind, object, detail)
  }

  @inline(never) @usableFromInline
  static func itemSubmittedSlow(_ item: ItemPointer, _ queue: UnsafeRawPointer, isJob: Bool) {
    if Tracepoints.isOn { Tracepoints.itemSubmitted(item, to: queue, isJob: isJob) }
    observer?.itemSubmitted(item, to: queue, isJob: isJob)
  }

  @inline(never) @usableFromInline
  static func itemStartedSlow(_ item: ItemPointer, _ queue: UnsafeRawPointer) {
    observer?.itemStarted(item, on: queue)
    if Tracepoints.isOn { Tracepoints.itemStarted(item, on: queue) }
  }

  @inline(never) @usableFromInline
  static func itemFinishedSlow(_ item: ItemPointer, _ queue: UnsafeRawPointer) {
    if Tracepoints.isOn { Tracepoints.itemFinished(item, on: queue) }
    observer?.itemFinished(item, on: queue)
  }

  // Not inlined, like `waitEndedSlow`, so that its variables are off the stack while the thread
  // sleeps.
  @inline(never)
  private static func waitBeganSlow(
    _ reason: WaitReason, on resource: WaitResource, word: UInt, hasDeadline: Bool
  ) {
    observer?.waitBegan(reason, on: resource, word: word, hasDeadline: hasDeadline)
    if Tracepoints.isOn { Tracepoints.waitBegan(reason, on: resource) }
  }

  @inline(never)
  private static func waitEndedSlow(
    _ reason: WaitReason, on resource: WaitResource, hasTimedOut: Bool
  ) {
    if Tracepoints.isOn { Tracepoints.waitEnded(reason, on: resource, hasTimedOut: hasTimedOut) }
    observer?.waitEnded(reason, on: resource, hasTimedOut: hasTimedOut)
  }

  @inline(never) @usableFromInline
  static func syncEnteredSlow(_ queue: UnsafeRawPointer) {
    observer?.syncEntered(queue)
    if Tracepoints.isOn { Tracepoints.syncEntered(queue) }
  }

  @inline(never) @usableFromInline
  static func syncLeftSlow(_ queue: UnsafeRawPointer) {
    if Tracepoints.isOn { Tracepoints.syncLeft(queue) }
    observer?.syncLeft(queue)
  }

  @inline(never) @usableFromInline
  static func wakeSlow(_ word: UInt) { observer?.wake(word) }

  @inline(never) @usableFromInline
  static func lockTakenSlow(_ lock: WaitResource, _ byTry: Bool) {
    observer?.lockTaken(lock, byTry: byTry)
    if Tracepoints.isOn { Tracepoints.lockTaken(lock) }
  }

  @inline(never) @usableFromInline
  static func lockLeftSlow(_ lock: WaitResource) {
    if Tracepoints.isOn { Tracepoints.lockLeft(lock) }
    observer?.lockLeft(lock)
  }

  @inline(never) @usableFromInline
  static func lockFreedSlow(_ lock: UnsafeRawPointer) {
    observer?.lockFreed(lock)
  }

  @inline(never) @usableFromInline
  static func queueFreedSlow(_ queue: UnsafeRawPointer) { observer?.queueFreed(queue) }

  @inline(never) @usableFromInline
  static func semaphoreFreedSlow(_ semaphore: UnsafeRawPointer) {
    observer?.semaphoreFreed(semaphore)
  }

  @inline(never) @usableFromInline
  static func groupFreedSlow(_ group: UnsafeRawPointer) { observer?.groupFreed(group) }

  @inline(never) @usableFromInline
  static func queueRetargetedSlow(_ queue: UnsafeRawPointer) { observer?.queueRetargeted(queue) }
}
