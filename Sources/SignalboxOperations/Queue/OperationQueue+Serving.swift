// OperationQueue+Serving — the workers of a queue: how many there are, and how they run operations.
//
// The queue sends at most one worker for each QoS class, and that worker runs operations of
// that class. When a worker arrives, it takes an operation. If another operation may run, the
// worker first sends the next worker. So as many workers arrive as the pool has room for, or makes
// room for when some block, up to the width. A burst of short operations is done by the workers
// that are already there, one operation after the other.
//
// If the program sets an underlying queue, a worker is sent for each operation and runs only that
// operation, so that operations take turns with the queue's other items.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  // MARK: Sending

  /// The workers to send. Requires the lock.
  ///
  /// One for the class of the first operation, and one for every other class with an operation
  /// that may run at the same time as all operations before it. The pool then decides which runs
  /// first.
  final func owed() -> Submissions {
    guard mayBegin, let best = plan.pointee.lines.best else { return .none }
    let band = OperationLines.band(at: best)
    if let underlying { return owed(on: underlying, for: band) }
    var missing = BandSet()
    if !plan.pointee.sent.bands.contains(band) {
      plan.pointee.sent.bands.insert(band)
      missing.insert(band)
    }
    if OperationClasses.areUsed {
      for other in Band.allCases where !plan.pointee.sent.bands.contains(other) {
        guard let place = plan.pointee.lines.best(of: other), hasRoom(at: place) else { continue }
        plan.pointee.sent.bands.insert(other)
        missing.insert(other)
      }
    }
    return missing.isEmpty ? .none : Submissions(self, missing)
  }

  private final func owed(on underlying: DispatchQueue, for band: Band) -> Submissions {
    let missing = min(plan.pointee.lines.ready, width - running) - plan.pointee.sent.onUnderlying
    guard missing > 0 else { return .none }
    plan.pointee.sent.onUnderlying += missing
    return Submissions(self, on: underlying, missing, for: band)
  }

  /// Whether one more operation may begin. In a forked child, the queue's operations are the
  /// parent's. Requires the lock.
  private final var mayBegin: Bool {
    !isHalted && running < width && forks == Fork.count
  }

  /// Whether an operation in this line may run although those in higher lines do not run yet.
  /// Requires the lock.
  private final func hasRoom(at place: OperationLines.Place) -> Bool {
    width - running > plan.pointee.lines.count(before: place)
  }

  /// Sends a worker that was recorded as sent.
  final func send(_ band: Band, of generation: UInt32) {
    let known = lock.withLock { backingQueues[band] }
    (known ?? makeBackingQueue(band)).async { self.serve(band, generation) }
  }

  /// Sends a worker to the underlying queue that the program set.
  final func send(_ band: Band, of generation: UInt32, to underlying: DispatchQueue) {
    let qos = band == .standard ? DispatchQoS.unspecified : DispatchQoS(of: band)
    underlying.async(qos: qos, flags: band == .standard ? [] : .enforceQoS) {
      self.serve(nil, generation)
    }
  }

  private final func makeBackingQueue(_ band: Band) -> DispatchQueue {
    let new = DispatchQueue(
      label: shownName, qos: DispatchQoS(of: band), attributes: .concurrent)
    return lock.withLock {
      if let other = backingQueues[band] { return other }
      backingQueues[band] = new
      return new
    }
  }

  // MARK: Lines

  /// Links an operation that is ready. Requires the operation's lock.
  final func link(_ operation: Operation) -> Submissions {
    lock.lock()
    defer { lock.unlock() }
    plan.pointee.enqueue(operation)
    return owed()
  }

  /// Moves an operation behind the others of its new priority. Requires the operation's lock.
  final func changeLine(of operation: Operation, to new: UInt8) {
    lock.lock()
    defer { lock.unlock() }
    guard operation.line != new else { return }
    let isLinked = operation.isLinked
    if isLinked { plan.pointee.unlink(operation) }
    operation.line = new
    if isLinked { plan.pointee.enqueue(operation) }
  }

  /// Updates the class with which an operation runs. Requires the operation's lock.
  final func changeBand(of operation: Operation) -> Submissions {
    lock.lock()
    defer { lock.unlock() }
    // An operation whose class stays the same keeps its position in the line.
    guard operation.band != operation.wantedBand else { return .none }
    let isLinked = operation.isLinked
    if isLinked { plan.pointee.unlink(operation) }
    operation.band = operation.wantedBand
    if isLinked { plan.pointee.enqueue(operation) }
    return owed()
  }

  // MARK: Working

  /// Runs operations on a worker that has arrived.
  ///
  /// - Parameters:
  ///   - band: the worker's class; nil on the underlying queue.
  ///   - generation: the generation of `SentWorkers` when the worker was sent.
  final func serve(_ band: Band?, _ generation: UInt32) {
    ThreadHold.with(address, .operationQueue) { work(band, generation) }
  }

  private final func work(_ band: Band?, _ generation: UInt32) {
    let began = Clock.coarseUptime
    lock.lock()
    // The worker was sent to an underlying queue that was replaced.
    guard generation == plan.pointee.sent.generation else { return lock.unlock() }
    plan.pointee.sent.arrived(band)
    var next = takeFirst(for: band)
    var more = owed()
    lock.unlock()
    while let taken = next {
      more.submit()
      // A tick of the coarse clock is a few milliseconds; after that, let other work have the
      // worker.
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
    var place = best
    if let band, OperationLines.band(at: best) != band {
      // An operation of another class comes first; a worker is sent for it if there is none.
      guard let own = plan.pointee.lines.best(of: band), hasRoom(at: own) else { return nil }
      place = own
    }
    guard let taken = plan.pointee.lines.first(at: place) else { return nil }
    return taken._withUnsafeGuaranteedRef { operation in
      plan.pointee.unlink(operation)
      running += 1
      operation.isRunning = true
      operation.isBeingStarted = true
      return Unmanaged.passRetained(operation)  // SAFETY: released by `work`.
    }
  }

  private typealias Next = (Unmanaged<Operation>?, Submissions)

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
      // A subclass may be over without announcing it, or not be over.
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
    let departure = strike(operation, &ending)
    let next = takeNext()
    let more = owed()
    lock.unlock()
    departure.tell(self)
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
    let more = owed()
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
    let departure = strike(operation, &ending)
    let more = owed()
    lock.unlock()
    more.submit()
    departure.tell(self)
  }

  /// Removes an operation that is over from all lists, and links the operations that may begin
  /// now. Requires the lock.
  private final func strike(
    _ operation: Operation, _ ending: inout OperationEnding
  ) -> Departure {
    if operation.isLinked { plan.pointee.unlink(operation) }
    operation.hasLeft = true
    if !operation.isBeingStarted { stopRunning(operation) }
    if !ending.ready.isEmpty { ending.ready.link(into: self) }
    remove(operation)
    plan.pointee.leave(operation)
    var departure = Departure(operation)
    if count == 0 {
      departure.keeper = keeper
      keeper = nil
      departure.isAwaited = hasWaiters
      hasWaiters = false
      if departure.isAwaited {
        emptied.wrappingAdd(1, ordering: .relaxed)  // order: relaxed; read again under the lock.
      }
    }
    return departure
  }
}

/// What remains to be done, without a lock, after an operation has left its queue.
private struct Departure {
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

extension DispatchQoS {
  init(of band: Band) {
    self.init(qosClass: DispatchQoS.QoSClass(of: band), relativePriority: 0)
  }
}
