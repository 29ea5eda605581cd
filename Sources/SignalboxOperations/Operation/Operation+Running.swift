// Operation+Running — how an operation moves from one phase to the next.
//
// Touching    the phase: under the operation's lock. No code of a subclass runs with a lock held.
// Invariants  I1  exactly one call of `end` moves an operation to `finished`; it notifies
//                 the dependents, the queue and the waiting threads.

import SignalboxDispatch
import SignalboxRuntime

extension Operation {
  // MARK: start()

  /// What `start()` must do.
  enum Entry { case work, cancelled, over }

  /// The caller of `start()`. With `queue`, the worker on whose thread `start()` runs completes the
  /// operation; with `program`, `start()` does so itself. A subclass may continue `start()` on
  /// another thread, which counts as `program` because no worker completes the operation there.
  enum Caller { case queue, program }

  final func enter() -> (Entry, Caller) {
    lock.lock()
    if phase == .new {
      // Not in a queue: started by the program.
      lock.unlock()
      if !isReady { trapUnready() }
      lock.lock()
    }
    let found = phase
    let isCancelled = isMarkedCancelled
    if found == .new || found == .starting { phase = isCancelled ? .finishing : .executing }
    lock.unlock()
    switch found {
    case .new: return (isCancelled ? .cancelled : .work, .program)
    case .starting:
      let isWorker = ThreadHold.isHere(address, .operationStart)
      return (isCancelled ? .cancelled : .work, isWorker ? .queue : .program)
    case .finished: return (.over, .program)
    case .enqueued:
      clientBug(
        "start() was called on \(title), which is in a queue: the queue starts it when its turn "
          + "comes. Start operations by hand only if they are in no queue.")
    case .executing, .finishing:
      clientBug("start() was called on \(title), which is \(found) already: it runs once.")
    }
  }

  /// Claims an operation that is in no queue for the next call of `start()`. A dependency that
  /// is added from now on is recorded but not waited for, as with an operation that a queue
  /// starts.
  ///
  /// - Returns: false if it waits for others or has begun.
  package final func claimStart() -> Bool {
    lock.withLock {
      guard phase == .new, unfinished == 0 || isMarkedCancelled else { return false }
      phase = .starting
      return true
    }
  }

  /// Whether it has not begun and waits for others.
  package final var waitsForOthers: Bool {
    lock.withLock { phase < .starting && unfinished > 0 && !isMarkedCancelled }
  }

  private final func trapUnready() -> Never {
    let missing = dependencies.first { !$0.isFinished }
    let reason =
      missing.map { ": it depends on \($0.title), which is not finished" }
      ?? ": its isReady is false"
    clientBug(
      "start() was called on \(title), which is not ready\(reason). Add it to an OperationQueue, "
        + "which waits until it is ready.")
  }

  /// Calls `main()`, whose return ends the operation.
  final func executeMain() {
    ThreadHold.with(address, .operation) { callMain() }
  }

  /// Calls `main()`. The operation continues after that returns.
  final func startMain(by caller: Caller) {
    if caller == .queue { return callMain() }
    ThreadHold.with(address, .operationStart) { callMain() }
  }

  @inline(__always)
  final func callMain() {
    if Probe.wantsOperations { lock.withLock { tellStep(.started) } }
    guard let monitor = OperationMonitor.of(self) else { return main() }
    monitor.run(self)
  }

  final func leaveMain() {
    lock.lock()
    if phase == .executing { phase = .finishing }
    lock.unlock()
  }

  // MARK: cancel()

  final func markCancelled() {
    lock.lock()
    let isLate = phase == .finished
    if !isLate { isMarkedCancelled = true }
    if !isLate { tellStep(.cancelled) }
    let mayBegin = phase == .enqueued && !isOffered
    lock.unlock()
    if mayBegin { offer() }
  }

  /// Reports a step to the recorder. Requires the lock, which guards the name.
  @inline(__always)
  final func tellStep(_ step: OperationStep) {
    if Probe.wantsOperations { tellStepSlow(step) }
  }

  @inline(never)
  private final func tellStepSlow(_ step: OperationStep) {
    Probe.operation(step, address, extras?.name ?? TypeName.of(object: self))
  }

  // MARK: In a queue

  /// How a worker begins the operation.
  enum Beginning {
    /// Calls `start()`.
    case start
    /// Calls its `main()` directly: the class is one of ours.
    case work
    /// Skips the work: the operation was cancelled, and the class is one of ours.
    case pass
    /// Does not begin: the operation is over, or waits for another one again.
    case not
  }

  /// Begins the operation, after the queue has taken it out of its line.
  final func beginInQueue() -> Beginning {
    let isPlain = OperationKind.isPlain(self)
    lock.lock()
    defer { lock.unlock() }
    guard phase == .enqueued, unfinished == 0 || isMarkedCancelled else { return .not }
    if isPlain {
      phase = isMarkedCancelled ? .finishing : .executing
      return isMarkedCancelled ? .pass : .work
    }
    phase = .starting
    return .start
  }

  /// Links the operation into its queue's lines, if it is ready and was not offered yet.
  final func offer() {
    lock.lock()
    let mayBegin = phase == .enqueued && !isOffered
    lock.unlock()
    // If a subclass's `isReady` changes later, the subclass announces it, which calls this
    // function again.
    guard mayBegin, isReady else { return }
    lock.lock()
    // A subclass may say that it is ready although it waits for others. Their end calls this
    // function again.
    guard phase == .enqueued, !isOffered, unfinished == 0 || isMarkedCancelled else {
      return lock.unlock()
    }
    isOffered = true
    tellStep(.ready)
    let submissions = queue?._withUnsafeGuaranteedRef { $0.link(self) }
    lock.unlock()
    submissions?.submit()
  }

  /// Links the operation into its queue's lines, after `isOffered` was set.
  final func linkOffered() {
    lock.lock()
    let submissions =
      phase == .enqueued ? queue?._withUnsafeGuaranteedRef { $0.link(self) } : nil
    lock.unlock()
    submissions?.submit()
  }

  /// Withdraws the offer, and checks again.
  final func offerAnew() {
    lock.withLock { isOffered = false }
    offer()
  }

  // MARK: The end

  /// Completes the operation, after it has reported that it is over.
  ///
  /// - Returns: whether this call completed it.
  @discardableResult
  final func complete() -> Bool {
    guard var ending = end() else { return false }
    ending.askReady()
    // SAFETY: the queue stays alive until `leave`: see I2 of `Operation`.
    if let home = ending.home { home._withUnsafeGuaranteedRef { $0.leave(self, &ending) } }
    ending.tell(self)
    return true
  }

  /// Moves the operation to `finished` and returns what remains to be done, or nil if it was
  /// finished already.
  final func end() -> OperationEnding? {
    lock.lock()
    guard phase != .finished else {
      lock.unlock()
      return nil
    }
    phase = .finished
    tellStep(.finished)
    var ending = OperationEnding(of: self)
    queue = nil
    if !dependents.isEmpty {
      releaseDependents(&ending)
      ending.dependents = takeDependents()
    }
    if let extras, extras.completion != nil { swap(&extras.completion, &ending.completion) }
    if isInFlight { OperationsInFlight.shared.remove(self) }
    lock.unlock()
    return ending
  }

  /// Counts the dependents down. Requires the lock, and releases it for a moment if another thread
  /// holds a dependent's lock, because waiting could deadlock: cancelled operations of a cycle may
  /// end at the same time, and each of them is a dependent of the next.
  private final func releaseDependents(_ ending: inout OperationEnding) {
    var index = 0
    while index < dependents.count {
      if dependents[index]?._withUnsafeGuaranteedRef({ ending.release($0) }) ?? true {
        index += 1
        continue
      }
      // Other threads may use the list in the meantime, so remove the dependents that were
      // counted down.
      removeDependents(before: index)
      index = 0
      lock.unlock()
      Parking.yield()
      lock.lock()
    }
  }
}
