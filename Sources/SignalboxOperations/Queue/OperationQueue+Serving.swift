// OperationQueue+Serving — workers: who runs the operations, and how many they are.
//
// There is at most one worker under way for each class of service, and it runs operations of
// that class. When it comes it takes an
// operation, and if there is another one to be taken it first has a next worker sent. So as
// many come as the pool has room for, or blocked ones make room for, up to the width; and a
// burst of short operations is done by those that are there already, one after the other.
//
// On a queue that belongs to the program a worker is sent for each operation, and runs one:
// they take turns with what else is there.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  // MARK: Sending

  /// Under the lock: which workers are to be sent.
  ///
  /// One for the class of the first operation, and for every other one of which an operation
  /// has room beside all that come before it: which goes first then, the pool knows.
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

  /// Under the lock: whether one more may begin. What stands in the queue of a forked child
  /// is its parent's.
  private final var mayBegin: Bool {
    !isHalted && running < width && forks == Fork.count
  }

  /// Under the lock: whether an operation at this place may run though those before it do not
  /// run yet.
  private final func hasRoom(at place: OperationLines.Place) -> Bool {
    width - running > plan.pointee.lines.count(before: place)
  }

  /// Sends a worker that was noted as sent.
  final func send(_ band: Band, of generation: UInt32) {
    let known = lock.withLock { workplaces[band] }
    (known ?? makeWorkplace(band)).async { self.serve(band, generation) }
  }

  /// The same, to a queue of the program's.
  final func send(_ band: Band, of generation: UInt32, to underlying: DispatchQueue) {
    let qos = band == .standard ? DispatchQoS.unspecified : DispatchQoS(of: band)
    underlying.async(qos: qos, flags: band == .standard ? [] : .enforceQoS) {
      self.serve(nil, generation)
    }
  }

  private final func makeWorkplace(_ band: Band) -> DispatchQueue {
    let new = DispatchQueue(
      label: shownName, qos: DispatchQoS(of: band), attributes: .concurrent)
    return lock.withLock {
      if let other = workplaces[band] { return other }
      workplaces[band] = new
      return new
    }
  }

  // MARK: Lines

  /// Under the locks of the operation and the queue: it is ready.
  final func link(_ operation: Operation) -> Submissions {
    lock.lock()
    defer { lock.unlock() }
    plan.pointee.enqueue(operation)
    return owed()
  }

  /// Under the operation's lock: moves it behind others of its new priority.
  final func changeLine(of operation: Operation, to new: UInt8) {
    lock.lock()
    defer { lock.unlock() }
    guard operation.line != new else { return }
    let isLinked = operation.isLinked
    if isLinked { plan.pointee.unlink(operation) }
    operation.line = new
    if isLinked { plan.pointee.enqueue(operation) }
  }

  /// Under the operation's lock: finds with which class it runs.
  final func changeBand(of operation: Operation) -> Submissions {
    lock.lock()
    defer { lock.unlock() }
    // Where the class stays, its place in the line does.
    guard operation.band != operation.wantedBand else { return .none }
    let isLinked = operation.isLinked
    if isLinked { plan.pointee.unlink(operation) }
    operation.band = operation.wantedBand
    if isLinked { plan.pointee.enqueue(operation) }
    return owed()
  }

  // MARK: Working

  /// A worker has come.
  ///
  /// - Parameters:
  ///   - band: its class; nil on the underlying queue.
  ///   - generation: that of `SentWorkers` when it was sent.
  final func serve(_ band: Band?, _ generation: UInt32) {
    ThreadHold.with(address, .operationQueue) { work(band, generation) }
  }

  private final func work(_ band: Band?, _ generation: UInt32) {
    let began = Clock.coarseUptime
    lock.lock()
    // It stands in the wrong place.
    guard generation == plan.pointee.sent.generation else { return lock.unlock() }
    plan.pointee.sent.arrived(band)
    var next = takeFirst(for: band)
    var more = owed()
    lock.unlock()
    while let taken = next {
      more.submit()
      // A tick of the coarse clock is some milliseconds: so long have others waited.
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

  /// Under the lock: the first operation, if one may run that has this class. Retained.
  private final func takeFirst(for band: Band?) -> Unmanaged<Operation>? {
    guard mayBegin, let best = plan.pointee.lines.best else { return nil }
    var place = best
    if let band, OperationLines.band(at: best) != band {
      // One of another class comes first, for which a worker is sent if there is none.
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
      // A subclass may say that it is over without telling, or that it is not.
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

  /// After an operation that is not over, or was ended by somebody else.
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

  /// It was taken and has not begun: a dependency has come since it was linked, or it is over.
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
    // A subclass may say something else by now.
    if !isPlain { operation.offer() }
  }

  private final func stopRunning(_ operation: Operation) {
    if operation.isRunning {
      operation.isRunning = false
      running -= 1
    }
  }

  // MARK: The end of an operation

  /// An operation is over. If a worker is in its `start()`, that one goes on with the next
  /// when it comes back.
  final func leave(_ operation: Operation, _ ending: inout OperationEnding) {
    lock.lock()
    let departure = strike(operation, &ending)
    let more = owed()
    lock.unlock()
    more.submit()
    departure.tell(self)
  }

  /// Under the lock: takes an operation that is over out of everything, and puts those into the
  /// lines that may begin now.
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

/// What is to be done when an operation has left its queue and no lock is held.
private struct Departure {
  private let operation: Unmanaged<Operation>
  /// The queue's reference to itself, where it is empty.
  var keeper: Unmanaged<OperationQueue>?
  var isAwaited = false

  // SAFETY: the reference that the queue had.
  init(_ operation: Operation) { self.operation = Unmanaged.passUnretained(operation) }

  func tell(_ queue: OperationQueue) {
    if isAwaited { WaitingDoor.wake(wordAddress(queue.emptied), count: Int32.max) }
    operation.release()  // SAFETY: retained by `admit`; the caller has a reference of its own.
    keeper?.release()  // SAFETY: retained by `append`.
  }
}

extension DispatchQoS {
  init(of band: Band) {
    self.init(qosClass: DispatchQoS.QoSClass(of: band), relativePriority: 0)
  }
}
