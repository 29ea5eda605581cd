// EngineObserver — passes the engine's probes on to the recorder, the subscribers and the check
// of lock orders.
//
// Installed when the first of them begins; see `Observation`.

import CSignalbox
import SignalboxRuntime

enum EngineObserver: Observer {
  @inline(__always)
  private static func isRecorded(_ kind: EventKind) -> Bool {
    Probe.recordedMask & kind.bit != 0
  }

  /// Calls the handlers that subscribe to `kind`.
  @inline(__always)
  private static func deliver(_ kind: EventKind, _ object: UInt, _ detail: UInt64 = 0) {
    if Probe.heardMask & kind.bit != 0 { deliverSlow(kind, object, detail) }
  }

  @inline(never)
  private static func deliverSlow(_ kind: EventKind, _ object: UInt, _ detail: UInt64) {
    guard ProbeSubscribers.shared.areSubscribed(to: kind) else { return }
    ProbeSubscribers.shared.deliver(
      ProbeEvent(kind: kind, thread: csb_thread_number(), object: object, detail: detail))
  }

  /// The measurement of times, if it is on.
  @inline(__always)
  private static var times: QueueTimes? { QueueTimes.isOn ? QueueTimes.shared : nil }

  static func occurred(_ kind: EventKind, _ object: UInt, _ detail: UInt64) {
    if isRecorded(kind) { TraceCapture.take(kind, object, detail) }
    deliver(kind, object, detail)
  }

  // MARK: Items

  static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer, isJob: Bool) {
    times?.submitted(item, to: queue)
    if isRecorded(.itemSubmitted) { TraceCapture.itemSubmitted(item, queue, isJob: isJob) }
    deliver(.itemSubmitted, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    times?.started(item, on: queue)
    if isRecorded(.itemStarted) { TraceCapture.itemStarted(item, queue) }
    deliver(.itemStarted, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    times?.finished(item)
    if isRecorded(.itemFinished) { TraceCapture.itemFinished(item, queue) }
    deliver(.itemFinished, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  static func syncWaits() -> UInt64 { TraceCapture.syncWaits() }

  static func syncWillEnter(calledAt time: UInt64) { TraceCapture.syncWillEnter(time) }

  static func syncEntered(_ queue: UnsafeRawPointer) {
    times?.syncEntered(queue)
    if isRecorded(.syncEntered) { TraceCapture.syncEntered(queue) }
    deliver(.syncEntered, UInt(bitPattern: queue))
  }

  static func syncLeft(_ queue: UnsafeRawPointer) {
    times?.syncLeft(queue)
    if isRecorded(.syncLeft) { TraceCapture.queueStep(.syncLeft, queue) }
    deliver(.syncLeft, UInt(bitPattern: queue))
  }

  // MARK: Waits and locks

  static func waitBegan(
    _ reason: WaitReason, on resource: WaitResource, word: UInt, hasDeadline: Bool
  ) {
    deliver(.waitBegan, UInt(bitPattern: resource.object), UInt64(reason.rawValue))
    guard isRecorded(.waitBegan) else { return }
    TraceCapture.waitBegan(reason, on: resource, word: word, hasDeadline: hasDeadline)
  }

  static func waitEnded(_ reason: WaitReason, on resource: WaitResource, hasTimedOut: Bool) {
    deliver(.waitEnded, UInt(bitPattern: resource.object), UInt64(reason.rawValue))
    if isRecorded(.waitEnded) { TraceCapture.waitEnded(reason, hasTimedOut: hasTimedOut) }
  }

  static func wake(_ word: UInt) {
    if isRecorded(.wake) { TraceCapture.wake(word) }
    deliver(.wake, word)
  }

  static func workerWoken(_ worker: WorkerPointer, thread: UInt32) {
    deliver(.workerWoken, UInt(bitPattern: worker))
    guard isRecorded(.workerWoken) else { return }
    TraceCapture.record(TraceStep(.workerWoken, b: thread), of: .current)
  }

  static func lockTaken(_ lock: WaitResource, byTry: Bool) {
    if LockOrder.isOn { LockOrder.shared.taken(lock, byTry: byTry) }
    deliver(.lockTaken, UInt(bitPattern: lock.object))
    if isRecorded(.lockTaken) { TraceCapture.lock(.lockTaken, lock) }
  }

  static func lockLeft(_ lock: WaitResource) {
    if LockOrder.isOn { LockOrder.shared.left(lock) }
    deliver(.lockLeft, UInt(bitPattern: lock.object))
    if isRecorded(.lockLeft) { TraceCapture.lock(.lockLeft, lock) }
  }

  static func lockFreed(_ lock: UnsafeRawPointer) {
    if LockOrder.isOn { LockOrder.shared.freed(lock) }
    guard TraceCapture.isOn else { return }
    TraceCapture.shared.forget(UInt(bitPattern: lock), .lock)
    TraceCapture.shared.forget(UInt(bitPattern: lock), .condition)
  }

  // MARK: Timers, operations and loops

  static func timerArmed(_ timer: TimerPointer, _ due: Deadline, at time: UInt64) {
    deliver(.timerArmed, UInt(bitPattern: timer))
    if isRecorded(.timerArmed) { TraceCapture.timerArmed(UInt(bitPattern: timer), due, at: time) }
  }

  static func timerCancelled(_ timer: TimerPointer, isGone: Bool) {
    deliver(.timerCancelled, UInt(bitPattern: timer))
    guard isRecorded(.timerCancelled) else { return }
    TraceCapture.timerCancelled(UInt(bitPattern: timer), isGone: isGone)
  }

  static func timerFired(_ timer: TimerPointer, lateness: UInt64) {
    deliver(.timerFired, UInt(bitPattern: timer), lateness)
    guard isRecorded(.timerFired) else { return }
    TraceCapture.timerFired(
      UInt(bitPattern: timer), late: lateness, isGone: timer.pointee.purpose != .source)
  }

  static func operation(_ step: OperationStep, _ operation: UInt, _ name: String) {
    if isRecorded(.operation) { TraceCapture.operation(step, operation, name) }
    deliver(.operation, operation, UInt64(step.rawValue))
  }

  static func runLoopStep(_ loop: WaitResource, _ number: UInt64) {
    deliver(.runLoopStep, UInt(bitPattern: loop.object), number)
    if isRecorded(.runLoopStep) { TraceCapture.runLoopStep(loop, number) }
  }

  // MARK: Names and ends

  static func queueFreed(_ queue: UnsafeRawPointer) { TraceCapture.shared.noteGone(queue) }

  static func queueRetargeted(_ queue: UnsafeRawPointer) { TraceCapture.shared.nameAnew(queue) }

  static func semaphoreFreed(_ semaphore: UnsafeRawPointer) {
    TraceCapture.shared.forget(UInt(bitPattern: semaphore), .semaphore)
  }

  static func groupFreed(_ group: UnsafeRawPointer) {
    TraceCapture.shared.forget(UInt(bitPattern: group), .group)
  }

  static func threadNamed() { TraceCapture.threadWasNamed() }

  static func threadEnds() {
    HeldLocks.releaseOwn()
    ThreadTimes.endThisThread()
    TraceCapture.endThisThread()
  }
}
