// OperationQueue+Workers — the workers of a queue: how many there are, and for which operations.
//
// The queue sends at most one worker for each QoS class, and that worker runs operations of
// that class. When a worker arrives, it takes an operation. If another operation may run, the
// worker first sends the next worker. So the number of workers grows up to the width, as long as
// the pool has room for them; the pool also makes room when workers block. The workers that are
// already there run a burst of short operations, one after the other.
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
  final func workersToSend() -> WorkersToSend {
    guard mayBegin, let best = plan.pointee.lines.best else { return .none }
    let band = OperationLines.band(at: best)
    if let underlying { return workersToSend(on: underlying, for: band) }
    var missing = BandSet()
    if !plan.pointee.sent.bands.contains(band) {
      plan.pointee.sent.bands.insert(band)
      missing.insert(band)
    }
    if OperationClasses.areUsed {
      for other in Band.allCases where !plan.pointee.sent.bands.contains(other) {
        guard let line = plan.pointee.lines.best(of: other), hasRoom(at: line) else { continue }
        plan.pointee.sent.bands.insert(other)
        missing.insert(other)
      }
    }
    return missing.isEmpty ? .none : WorkersToSend(self, missing)
  }

  private final func workersToSend(on underlying: DispatchQueue, for band: Band) -> WorkersToSend {
    let missing = min(plan.pointee.lines.ready, width - running) - plan.pointee.sent.onUnderlying
    guard missing > 0 else { return .none }
    plan.pointee.sent.onUnderlying += missing
    return WorkersToSend(self, on: underlying, missing, for: band)
  }

  /// Whether one more operation may begin. In a forked child none may, because the queue's
  /// operations are the parent's. Requires the lock.
  final var mayBegin: Bool {
    !isHalted && running < width && forkCount == Fork.count
  }

  /// Whether an operation in this line may run although those in higher lines do not run yet.
  /// Requires the lock.
  final func hasRoom(at line: OperationLines.Index) -> Bool {
    width - running > plan.pointee.lines.count(before: line)
  }

  /// Sends a worker that was recorded as sent.
  final func send(_ band: Band, of generation: UInt32) {
    let known = lock.withLock { backingQueues[band] }
    (known ?? makeBackingQueue(band)).async { self.drain(band, generation) }
  }

  /// Sends a worker to the underlying queue that the program set.
  final func send(_ band: Band, of generation: UInt32, to underlying: DispatchQueue) {
    let qos = band == .standard ? DispatchQoS.unspecified : DispatchQoS(of: band)
    underlying.async(qos: qos, flags: band == .standard ? [] : .enforceQoS) {
      self.drain(nil, generation)
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
  final func link(_ operation: Operation) -> WorkersToSend {
    lock.lock()
    defer { lock.unlock() }
    plan.pointee.enqueue(operation)
    return workersToSend()
  }

  /// Moves an operation after the others of its new priority. Requires the operation's lock.
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
  final func changeBand(of operation: Operation) -> WorkersToSend {
    lock.lock()
    defer { lock.unlock() }
    // An operation whose class stays the same keeps its position in the line.
    guard operation.band != operation.wantedBand else { return .none }
    let isLinked = operation.isLinked
    if isLinked { plan.pointee.unlink(operation) }
    operation.band = operation.wantedBand
    if isLinked { plan.pointee.enqueue(operation) }
    return workersToSend()
  }
}

extension DispatchQoS {
  init(of band: Band) {
    self.init(qosClass: DispatchQoS.QoSClass(of: band), relativePriority: 0)
  }
}
