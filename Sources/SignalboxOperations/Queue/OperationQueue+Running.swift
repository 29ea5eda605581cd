// OperationQueue+Running — how a worker runs a queue's operations, and how an operation that is
// over leaves the queue.

import SignalboxRuntime

extension OperationQueue {
  /// Runs operations on a worker that has arrived.
  ///
  /// - Parameters:
  ///   - band: the worker's class; nil on the underlying queue.
  ///   - generation: the generation of `SentWorkers` when the worker was sent.
  final func drain(_ band: Band?, _ generation: UInt32) {
    ThreadHold.with(address, .operationQueue) { work(band, generation) }
  }

  private final func work(_ band: Band?, _ generation: UInt32) {
    let began = Clock.coarseUptime
    lock.lock()
    // Otherwise the worker was sent before the underlying queue was replaced.
    guard generation == plan.pointee.sent.generation else { return lock.unlock() }
    plan.pointee.sent.arrived(band)
    var next = takeFirst(for: band)
    var more = workersToSend()
    lock.unlock()
    while let taken = next {
      more.submit()
      // A tick of the coarse clock is a few milliseconds. After that time, give the worker to other
      // work.
      (next, more) = taken._withUnsafeGuaranteedRef { operation in
        run(operation) {
          let isOver = band == nil || Clock.coarseUptime != began
          return isOver || generation != plan.pointee.sent.generation ? nil : takeFirst(for: band)
        }
      }
      taken.release()  // SAFETY: retained by `takeFirst`.
    }
    more.submit()
  }

  /// Takes the first operation of this class that may run, retained. Requires the lock.
  private final func takeFirst(for band: Band?) -> Unmanaged<Operation>? {
    guard mayBegin, let best = plan.pointee.lines.best else { return nil }
    var line = best
    if let band, OperationLines.band(at: best) != band {
      // An operation of another class comes first; a worker is sent for it if there is none.
      guard let own = plan.pointee.lines.best(of: band), hasRoom(at: own) else { return nil }
      line = own
    }
    guard let taken = plan.pointee.lines.first(at: line) else { return nil }
    return taken._withUnsafeGuaranteedRef { operation in
      plan.pointee.unlink(operation)
      running += 1
      operation.isRunning = true
      operation.isBeingStarted = true
      return Unmanaged.passRetained(operation)  // SAFETY: released by `work`.
    }
  }

  private typealias Next = (Unmanaged<Operation>?, WorkersToSend)

  /// Runs an operation that was taken.
  ///
  /// - Parameter takeNext: takes the next one; called under the lock.
  private final func run(
    _ operation: Operation, takeNext: () -> Unmanaged<Operation>?
  ) -> Next {
    switch operation.beginInQueue() {
    case .work: operation.executeMain()
    case .pass: break
    case .start:
      ThreadHold.with(operation.address, .operationStart) { operation.start() }
      let phase = operation.lock.withLock { operation.phase }
      // An operation of a subclass may be finished without an announcement, or may not be finished
      // yet.
      guard phase != .finished && operation.isFinished else {
        if phase != .finished { operation.flyOn() }
        return goOn(after: operation, takeNext)
      }
    case .not:
      giveBack(operation)
      return goOn(after: nil, takeNext)
    }
    guard var ending = operation.end() else { return goOn(after: operation, takeNext) }
    ending.askReady()
    lock.lock()
    operation.isBeingStarted = false
    let retirement = retire(operation, &ending)
    let next = takeNext()
    let more = workersToSend()
    lock.unlock()
    retirement.tell(self)
    ending.tell(operation)
    return (next, more)
  }

  /// Continues after an operation that is not over, or that another thread has completed.
  private final func goOn(
    after operation: Operation?, _ takeNext: () -> Unmanaged<Operation>?
  ) -> Next {
    lock.lock()
    if let operation {
      operation.isBeingStarted = false
      if operation.hasLeft { stopRunning(operation) }
    }
    let next = takeNext()
    let more = workersToSend()
    lock.unlock()
    return (next, more)
  }

  /// Puts back an operation that was taken and has not begun: a dependency was added since it
  /// was linked, or it is over.
  final func giveBack(_ operation: Operation) {
    let isPlain = OperationKind.isPlain(operation)
    operation.lock.lock()
    lock.lock()
    operation.isBeingStarted = false
    stopRunning(operation)
    if operation.phase == .enqueued {
      let isReady = operation.unfinished == 0 || operation.isMarkedCancelled
      operation.isOffered = isPlain && isReady
      if operation.isOffered { plan.pointee.enqueue(operation) }
    }
    lock.unlock()
    operation.lock.unlock()
    // A subclass's `isReady` may have changed.
    if !isPlain { operation.offer() }
  }

  private final func stopRunning(_ operation: Operation) {
    if operation.isRunning {
      operation.isRunning = false
      running -= 1
    }
  }

  // MARK: The end of an operation

  /// Removes an operation that is over. If a worker is in its `start()`, that worker takes the
  /// next operation when it returns.
  final func leave(_ operation: Operation, _ ending: inout OperationEnding) {
    lock.lock()
    let retirement = retire(operation, &ending)
    let more = workersToSend()
    lock.unlock()
    more.submit()
    retirement.tell(self)
  }

  /// Removes an operation that is over from all lists, and links the operations that may begin
  /// now. Requires the lock.
  private final func retire(
    _ operation: Operation, _ ending: inout OperationEnding
  ) -> Retirement {
    if operation.isLinked { plan.pointee.unlink(operation) }
    operation.hasLeft = true
    if !operation.isBeingStarted { stopRunning(operation) }
    if !ending.ready.isEmpty { ending.ready.link(into: self) }
    remove(operation)
    plan.pointee.leave(operation)
    var retirement = Retirement(operation)
    if count == 0 {
      retirement.keeper = keeper
      keeper = nil
      retirement.isAwaited = hasWaiters
      hasWaiters = false
      if retirement.isAwaited { emptied.increment() }
    }
    return retirement
  }
}

/// What remains to be done, without a lock, after an operation has left its queue.
private struct Retirement {
  private let operation: Unmanaged<Operation>
  /// The queue's reference to itself, if the queue is now empty.
  var keeper: Unmanaged<OperationQueue>?
  var isAwaited = false

  // SAFETY: takes over the queue's reference.
  init(_ operation: Operation) { self.operation = Unmanaged.passUnretained(operation) }

  func tell(_ queue: OperationQueue) {
    if isAwaited { Parking.wake(wordAddress(queue.emptied), count: Int32.max) }
    operation.release()  // SAFETY: retained by `admit`; the caller has a reference of its own.
    keeper?.release()  // SAFETY: retained by `append`.
  }
}
