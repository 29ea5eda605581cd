// TraceCapture+Steps — turns each probe call into a recorded event.

import CSignalbox
import SignalboxRuntime

extension TraceCapture {
  /// Records an event that carries only its object and a number.
  static func take(_ kind: EventKind, _ object: UInt, _ detail: UInt64) {
    let session = TraceSession.current
    switch kind {
    case .drainBegan, .drainEnded:
      queueStep(kind, UnsafeRawPointer(bitPattern: object), of: session)
    case .workerParked, .threadStarted, .threadEnded: record(TraceStep(kind), of: session)
    case .workerUnparked:
      TraceThread.ofThisThread?.pointee.items.noteSleep()
      record(TraceStep(kind), of: session)
    case .semaphoreSignalled: objectStep(kind, object, .semaphore, of: session)
    case .groupEntered, .groupLeft: objectStep(kind, object, .group, of: session)
    case .onceAsked: objectStep(kind, object, .other, of: session)
    case .loopBegan, .loopEnded: record(TraceStep(kind, detail: detail), of: session)
    // These kinds are not recorded, or have functions of their own that record
    // more detail.
    case .itemSubmitted, .itemStarted, .itemFinished, .syncEntered, .syncLeft, .operation,
      .workerWoken, .waitBegan, .waitEnded, .timerArmed, .timerCancelled, .timerFired,
      .semaphoreTaken, .lockTaken, .lockLeft, .runLoopStep, .wake, .mark, .place:
      break
    }
  }

  @inline(__always)
  static func queueStep(
    _ kind: EventKind, _ queue: UnsafeRawPointer?, of session: TraceSession = .current
  ) {
    guard let queue, let number = TraceQueues.number(of: queue, in: session) else { return }
    record(TraceStep(kind, object: number), of: session)
  }

  private static func objectStep(
    _ kind: EventKind, _ object: UInt, _ what: TraceObjectKind, of session: TraceSession
  ) {
    record(TraceStep(kind, object: number(of: object, what, in: session)), of: session)
  }

  /// Records the place of the event that this thread has just recorded.
  private static func recordPlace(_ step: TracePlaceOf, _ place: UInt64, of session: TraceSession) {
    record(TraceStep(.place, a: step.rawValue, detail: place), of: session)
  }

  // MARK: Items

  @inline(__always)
  static func itemSubmitted(_ item: ItemPointer, _ queue: UnsafeRawPointer, isJob: Bool) {
    // A `sync` that had its turn on one queue continues as an item of another.
    TraceThread.ofThisThread?.pointee.syncCalled = 0
    let session = TraceSession.current
    guard let number = TraceQueues.number(of: queue, in: session) else { return }
    let place = csb_trace_places_load() == 0 ? 0 : placeOfThisStep(.submission, number, in: session)
    let time = Clock.uptime.now
    let address = UInt(bitPattern: item)
    // A job has no item flags; the bits belong to its own record. See
    // `Item.overlay`.
    let flags: TraceItemFlags = isJob ? .job : TraceItemFlags(item.pointee.flags)
    let task =
      flags.contains(.job) ? TraceTask(ofJobIn: item, isInPlace: isJob) : nil
    record(
      TraceStep(
        .itemSubmitted, flags: flags.rawValue,
        a: task?.classOfService ?? TraceItemFlags.classOfService(item.pointee.flags),
        b: task?.number ?? 0, object: number, detail: UInt64(address)), of: session, at: time)
    if let task, task.name != 0 {
      record(TraceStep(.place, a: TracePlaceOf.task.rawValue, object: task.name), of: session)
    }
    if place != 0 { recordPlace(.submission, place, of: session) }
    if csb_trace_wait_limit_load() != 0 { TraceWaitLimit.shared.note(address, at: time) }
  }

  @inline(__always)
  static func itemStarted(_ item: ItemPointer, _ queue: UnsafeRawPointer) {
    let session = TraceSession.current
    guard let number = TraceQueues.number(of: queue, in: session) else { return }
    let time = Clock.uptime.now
    let address = UInt(bitPattern: item)
    let isDrainTask =
      item.pointee.flags.contains(.drainTask)
      && TraceQueues.isDrainTask(UnsafeMutableRawPointer(item))
    record(
      TraceStep(
        .itemStarted, flags: isDrainTask ? TraceItemFlags.drainTask.rawValue : 0,
        a: TraceItemFlags.classOfService(Urgency.ofThisThread), object: number,
        detail: UInt64(address)), of: session, at: time)
    TraceThread.ofThisThread?.pointee.items.begin(address, at: time)
    if csb_trace_wait_limit_load() != 0 { TraceWaitLimit.shared.ask(address, at: time) }
  }

  /// - Parameter item: an address to compare, not to dereference.
  @inline(__always)
  static func itemFinished(_ item: ItemPointer, _ queue: UnsafeRawPointer) {
    let session = TraceSession.current
    guard let number = TraceQueues.number(of: queue, in: session) else { return }
    let time = Clock.uptime.now
    let address = UInt(bitPattern: item)
    let switches =
      TraceThread.ofThisThread?.pointee.items.end(address, at: time) ?? csb_switches()
    record(
      TraceStep(
        .itemFinished, a: UInt16(clamping: switches.voluntary), b: switches.involuntary,
        object: number, detail: UInt64(address)), of: session, at: time)
  }

  // MARK: sync

  /// Notes that a `sync` is about to wait for its turn.
  ///
  /// - Returns: the time at which `sync` was called. Pass it to `syncWillEnter`.
  static func syncWaits() -> UInt64 {
    guard let thread = TraceThread.ofThisThread, thread.pointee.syncCalled != 0 else {
      return Clock.uptime.now
    }
    // The call already had its turn on another queue, whose target is this one.
    let called = thread.pointee.syncCalled
    thread.pointee.syncCalled = 0
    return called
  }

  /// Notes that the `sync` has its turn.
  static func syncWillEnter(_ called: UInt64) {
    let thread = TraceThread.ofThisThread ?? shared.beginThread()
    thread.pointee.syncCalled = called
  }

  @inline(__always)
  static func syncEntered(_ queue: UnsafeRawPointer) {
    let session = TraceSession.current
    let number = TraceQueues.number(of: queue, in: session)
    var place: UInt64 = 0
    if let number, csb_trace_places_load() != 0 {
      place = placeOfThisStep(.sync, number, in: session)
    }
    let time = Clock.uptime.now
    var called = time
    if let thread = TraceThread.ofThisThread, thread.pointee.syncCalled != 0 {
      called = thread.pointee.syncCalled
      thread.pointee.syncCalled = 0
    }
    guard let number else { return }
    let flags = TraceQueues.holdsAlone(queue) ? TraceItemFlags.barrier.rawValue : 0
    record(
      TraceStep(.syncEntered, flags: flags, object: number, detail: called), of: session, at: time)
    if place != 0 { recordPlace(.sync, place, of: session) }
  }

  // MARK: Waits

  static func waitBegan(
    _ reason: WaitReason, on resource: WaitResource, word: UInt, hasDeadline: Bool
  ) {
    let session = TraceSession.current
    let thread = TraceThread.ofThisThread ?? shared.beginThread()
    thread.pointee.wait = .none
    guard var wait = subject(of: reason, resource, in: session) else { return }
    wait.session = session.number
    wait.word = word
    let owner: UInt32 =
      if case .thread(let number) = resource.need(of: csb_thread_number()) { number } else { 0 }
    let place = csb_trace_places_load() == 0 ? 0 : placeOfThisStep(.waitBegan, wait.id, in: session)
    // Read the clock first: a wake that ends this wait is then later than its
    // beginning.
    let time = Clock.uptime.now
    wait.began = time
    wait.hasPlace = place != 0
    shared.lock.lock()
    let isOfThis = shared.recording != nil && wait.session == shared.lastSession
    wait.wakes = isOfThis ? shared.recording!.sleepers.begin(wait) : nil
    shared.lock.unlock()
    let rank = UInt8(TraceItemFlags.classOfService(Urgency.ofThisThread))
    record(
      TraceStep(
        .waitBegan, flags: wait.flags | rank << TraceWaitFlags.firstBitOfClass,
        a: UInt16(reason.rawValue), b: owner, object: wait.id, detail: hasDeadline ? 1 : 0),
      of: session, at: time)
    if place != 0 { recordPlace(.waitBegan, place, of: session) }
    thread.pointee.wait = wait
  }

  static func waitEnded(_ reason: WaitReason, hasTimedOut: Bool) {
    // The wait began before the recording did, or its queue is excluded.
    guard let thread = TraceThread.ofThisThread, thread.pointee.wait.id != 0 else { return }
    let wait = thread.pointee.wait
    thread.pointee.wait = .none
    let session = TraceSession.current
    thread.pointee.items.noteSleep()
    shared.lock.lock()
    // In another recording, the number names another object, and the table does
    // not count this sleeper.
    let isOfThis = shared.recording != nil && wait.session == shared.lastSession
    let waker = isOfThis ? shared.recording!.sleepers.end(wait) : 0
    shared.lock.unlock()
    guard isOfThis else { return }
    let flags = wait.flags | (hasTimedOut ? TraceWaitFlags.timedOut.rawValue : 0)
    let time = Clock.uptime.now
    record(
      TraceStep(
        .waitEnded, flags: flags, a: UInt16(reason.rawValue), b: hasTimedOut ? 0 : waker,
        object: wait.id), of: session, at: time)
    // A thread cannot return from long waits often enough for this to cost it
    // much.
    if csb_trace_places_load() != 0, !wait.hasPlace, time &- wait.began >= TracePlaces.longWait {
      let place = shared.placeOfThisThread()
      if place != 0 { recordPlace(.waitEnded, place, of: session) }
    }
  }

  static func wake(_ word: UInt) {
    let session = TraceSession.current
    let time = Clock.uptime.now
    shared.lock.lock()
    let woken =
      shared.recording == nil
      ? nil : shared.recording!.sleepers.wake(word, by: csb_thread_number())
    shared.lock.unlock()
    guard let woken else { return }
    record(TraceStep(.wake, flags: woken.flags, object: woken.id), of: session, at: time)
  }

  private static func subject(
    of reason: WaitReason, _ resource: WaitResource, in session: TraceSession
  ) -> TraceWait? {
    let address = UInt(bitPattern: resource.object)
    if reason == .sync || reason == .mainQueue {
      return resource.object.flatMap { TraceQueues.number(of: $0, in: session) }.map {
        TraceWait(id: $0, flags: TraceWaitFlags.isQueue.rawValue)
      }
    }
    let kind = TraceObjectKind(reason)
    // An operation whose own events were recorded has a number and a name already.
    let known = kind == .operation ? shared.known(address, kind) : nil
    return TraceWait(id: known ?? shared.identify(address, kind, .description(resource.title)))
  }

  // MARK: Locks

  static func lock(_ kind: EventKind, _ lock: WaitResource) {
    let session = TraceSession.current
    let address = UInt(bitPattern: lock.object)
    let known = lock.endsUntold ? nil : shared.known(address, .lock)
    let id = known ?? shared.identify(address, .lock, .description(lock.title))
    record(TraceStep(kind, object: id), of: session)
  }

  // MARK: Timers and loops

  /// The number of a timer. Timers get no name: their events identify them, and
  /// a program may have so many that their names would displace all others.
  private static func number(ofTimer timer: UInt) -> UInt64 {
    shared.identify(timer, .timer, .unknown, isNamed: false)
  }

  /// - Parameter set: when the timer was set, if it may have fired since; 0 for now.
  static func timerArmed(_ timer: UInt, _ due: Deadline, at set: UInt64) {
    let session = TraceSession.current
    let time = set == 0 ? Clock.uptime.now : set
    var nanoseconds = due.nanoseconds
    if due.clock != .uptime && !due.isNever {
      let (here, there) = (Clock.uptime.now, due.clock.now)
      nanoseconds = nanoseconds > there ? here.saturatingAdd(nanoseconds - there) : here
    }
    record(
      TraceStep(
        .timerArmed, object: number(ofTimer: timer),
        detail: due.isNever ? 0 : nanoseconds), of: session, at: time)
  }

  static func timerCancelled(_ timer: UInt, isGone: Bool) {
    let session = TraceSession.current
    record(TraceStep(.timerCancelled, object: number(ofTimer: timer)), of: session)
    if isGone { shared.forget(timer, .timer) }
  }

  static func timerFired(_ timer: UInt, late: UInt64, isGone: Bool) {
    let session = TraceSession.current
    record(TraceStep(.timerFired, object: number(ofTimer: timer), detail: late), of: session)
    if isGone { shared.forget(timer, .timer) }
  }

  static func operation(_ step: OperationStep, _ operation: UInt, _ name: String) {
    let session = TraceSession.current
    let id = shared.identify(operation, .operation, .name(name))
    record(TraceStep(.operation, a: step.rawValue, object: id), of: session)
    // Another operation may reuse the address from now on.
    if step == .finished { shared.forget(operation, .operation) }
  }

  static func runLoopStep(_ loop: WaitResource, _ number: UInt64) {
    let session = TraceSession.current
    let address = UInt(bitPattern: loop.object)
    let id =
      shared.known(address, .runLoop)
      ?? shared.identify(address, .runLoop, .description(loop.title))
    record(TraceStep(.runLoopStep, object: id, detail: number), of: session)
  }
}

extension TraceItemFlags {
  init(_ flags: Item.Flags) {
    var bits: UInt8 = 0
    if flags.contains(.barrier) { bits |= TraceItemFlags.barrier.rawValue }
    if flags.contains(.delayed) { bits |= TraceItemFlags.delayed.rawValue }
    if flags.contains(.handler) { bits |= TraceItemFlags.handler.rawValue }
    if flags.contains(.job) { bits |= TraceItemFlags.job.rawValue }
    if flags.contains(.drainTask) { bits |= TraceItemFlags.drainTask.rawValue }
    self.init(rawValue: bits)
  }

  static func classOfService(_ flags: Item.Flags) -> UInt16 { classOfService(flags.urgency) }

  static func classOfService(_ urgency: Urgency) -> UInt16 {
    urgency.band.map { UInt16($0.rawValue) + 1 } ?? 6
  }
}

extension TraceObjectKind {
  init(_ reason: WaitReason) {
    self =
      switch reason {
      case .lock, .readLock, .writeLock: .lock
      case .condition: .condition
      case .semaphore: .semaphore
      case .group: .group
      case .runLoop: .runLoop
      case .join: .thread
      case .operation: .operation
      case .sync, .mainQueue, .workItem, .once, .iterations, .test, .time, .value, .perform,
        .operations, .source:
        .other
      }
  }
}
