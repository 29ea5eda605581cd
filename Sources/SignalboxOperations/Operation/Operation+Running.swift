// Operation+Running — how an operation comes from one phase to the next.
//
// Touching    the phase, under the operation's lock. Nothing of a subclass's is called
//             with a lock held.
// Invariants  I1  exactly one call of `complete` moves an operation to `finished`: that
//                 one tells its dependents, its queue and those that wait.

import SignalboxDispatch
import SignalboxRuntime

extension Operation {
  // MARK: start()

  /// What `start()` is to do.
  enum Entry { case work, cancelled, over }

  /// Who called it, and so who sees to the end: `queue` is its worker's thread. A subclass may
  /// have `start()` go on elsewhere, where nobody sees to it.
  enum Caller { case queue, program }

  final func enter() -> (Entry, Caller) {
    lock.lock()
    if phase == .new {
      // Nobody's queue: by hand.
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

  /// Takes an operation that is in no queue, for whoever calls its `start()` next. A dependency that
  /// is added from now on is noted and not waited for, as with one that a queue starts.
  ///
  /// - Returns: false if it waits for others, or has begun.
  package final func claimStart() -> Bool {
    lock.withLock {
      guard phase == .new, unfinished == 0 || isMarkedCancelled else { return false }
      phase = .starting
      return true
    }
  }

  /// Whether it has not begun, and waits for others.
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

  /// Calls `main()`, with whose return the operation ends.
  final func executeMain() {
    ThreadHold.with(address, .operation) { callMain() }
  }

  /// Calls `main()`, after which the operation goes on.
  final func startMain(by caller: Caller) {
    if caller == .queue { return callMain() }
    ThreadHold.with(address, .operationStart) { callMain() }
  }

  @inline(__always)
  final func callMain() {
    if Probe.hearsOfOperations { lock.withLock { tellStep(.started) } }
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

  /// To who records it. Under the lock, which its name has.
  @inline(__always)
  final func tellStep(_ step: TraceOperationStep) {
    if Probe.hearsOfOperations { tellStepSlow(step) }
  }

  @inline(never)
  private final func tellStepSlow(_ step: TraceOperationStep) {
    Probe.operation(step, address, extras?.name ?? TypeName.of(object: self))
  }

  // MARK: In a queue

  /// The queue has taken it out of its line.
  ///
  /// How a worker begins with it.
  enum Beginning {
    /// By its `start()`.
    case start
    /// By its blocks: its class is ours.
    case work
    /// Not at all: it was cancelled, and its class is ours.
    case pass
    /// Not now: it is over, or waits for another one again.
    case not
  }

  /// The queue has taken it out of its line.
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

  /// Puts it into the lines of its queue if it is ready and not there.
  final func offer() {
    lock.lock()
    let mayBegin = phase == .enqueued && !isOffered
    lock.unlock()
    // Who changes what a subclass's `isReady` says, and tells of it, comes by here itself.
    guard mayBegin, isReady else { return }
    lock.lock()
    guard phase == .enqueued, !isOffered else { return lock.unlock() }
    isOffered = true
    tellStep(.ready)
    let submissions = queue?._withUnsafeGuaranteedRef { $0.link(self) }
    lock.unlock()
    submissions?.submit()
  }

  /// Puts it into the lines of its queue, where `isOffered` says that it is about to be.
  final func linkOffered() {
    lock.lock()
    let submissions =
      phase == .enqueued ? queue?._withUnsafeGuaranteedRef { $0.link(self) } : nil
    lock.unlock()
    submissions?.submit()
  }

  /// Takes back that it is about to be linked, and looks again.
  final func offerAnew() {
    lock.withLock { isOffered = false }
    offer()
  }

  // MARK: The end

  /// The operation is over, by its own word.
  ///
  /// - Returns: whether it was not before.
  @discardableResult
  final func complete() -> Bool {
    guard var ending = end() else { return false }
    ending.askReady()
    // SAFETY: the queue is there until it is told: see I2 of `Operation`.
    if let home = ending.home { home._withUnsafeGuaranteedRef { $0.leave(self, &ending) } }
    ending.tell(self)
    return true
  }

  /// Moves it to `finished`, and takes from it what is to be done then. nil if it was there.
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

  /// Under the lock, which it leaves for a moment where a dependent's lock is taken: operations
  /// of a circle that were cancelled may end at the same time, each of them a dependent of
  /// the next.
  private final func releaseDependents(_ ending: inout OperationEnding) {
    var place = 0
    while place < dependents.count {
      if dependents[place]?._withUnsafeGuaranteedRef({ ending.release($0) }) ?? true {
        place += 1
        continue
      }
      // Others may look at the list meanwhile: who was counted down stands in it no more.
      removeDependents(before: place)
      place = 0
      lock.unlock()
      WaitingDoor.giveWay()
      lock.lock()
    }
  }
}
