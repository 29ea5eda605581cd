// Operation — a piece of work with a state, and with others that must finish before it.
//
// The state is in `OperationPhase`; what changes it stands in `Operation+Running`, what
// ties operations to each other in `Dependencies/`. See Internals/Operations.md.
//
// Touching    `phase`, `isMarkedCancelled`, `isOffered`, `hasWaiters`, `hasTold`, `unfinished`,
//             `dependencyList`, `dependents`, `queue`, `extras`, `isInFlight`: under `lock`.
//             `line`, `ownBand`, `homeBand`, `raisedBand`, `band`: written under `lock` and, while
//             there is a queue, the queue's lock; read under either.
//             The links, `isLinked`, `isRunning`, `isBeingStarted`, `hasLeft`, `era`: under
//             the queue's lock. `nextReady` before that: by whoever has set `isOffered`.
//             `mark`: under the lock of `DependencySearch`.
// Invariants  I1  of two operations, the lock of the one that the other depends on is
//                 taken first; a queue's lock is taken after an operation's. So no cycle of
//                 locks: there is none of dependencies. Who does not know which one depends
//                 on the other waits for neither lock with the other one held.
//             I2  `queue` is set ⇒ the queue has a reference to the operation and keeps
//                 itself. It is cleared, under `lock`, before the queue lets go of either.
//             I3  who sets `isOffered` links the operation into its queue's lines, or
//                 takes it back.

import SignalboxRuntime
public import SignalboxThreads
import Synchronization

/// A piece of work that is done once.
///
/// ```swift
/// let fetch = BlockOperation { fetchPhotos() }
/// let show = BlockOperation { showPhotos() }
/// show.addDependency(fetch)
/// OperationQueue().addOperations([show, fetch], waitUntilFinished: false)
/// ```
///
/// A subclass overrides ``main()``; see ``BlockOperation`` for closures. Work that goes on
/// after its function has returned is an ``AsynchronousOperation``; or a subclass overrides
/// ``start()``, ``isExecuting``, ``isFinished`` and ``isAsynchronous``, and tells of each
/// change by ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, as with Apple.
/// There is no observing of keys behind them: they tell the queue.
///
/// Everything may be called from any thread. An operation that waits, for others or for its
/// turn, holds no thread. It is kept by its queue until it is finished.
///
/// An operation that can never finish is shown by `SignalboxReport`.
///
/// Source: Apple's documentation of `Operation`.
// SAFETY: see Touching.
open class Operation: @unchecked Sendable {
  final let lock = EngineLock()
  final var phase = OperationPhase.new
  final var isMarkedCancelled = false
  /// It was found ready, and stands in a line of its queue or is about to.
  final var isOffered = false
  final var hasWaiters = false
  /// A subclass has said that it is finished.
  final var hasTold = false

  /// In which of its queue's lines it stands when it is ready.
  final var line = OperationLines.usual
  /// The class that it was given.
  final var ownBand: Band?
  /// That of its queue, or of what has added it.
  final var homeBand = Band.standard
  /// The highest class of those that depend on it.
  final var raisedBand: Band?
  /// With which it runs, once it is in a queue.
  final var band = Band.standard

  /// It stands in one of its queue's lines, or of those behind a barrier.
  final var isLinked = false
  /// It is one of those that run.
  final var isRunning = false
  /// A worker is in its `start()`.
  final var isBeingStarted = false
  final var hasLeft = false
  /// Its `start()` has returned, and it is not over.
  final var isInFlight = false
  final let isBarrier: Bool
  /// Between which of its queue's barriers it stands.
  final var era: UInt32 = 0

  /// How many of those that it depends on are not finished, as far as it waits for them.
  final var unfinished: Int32 = 0
  /// Which search has met it last.
  final var mark: UInt32 = 0
  /// 0, and 1 when it is finished: what waiting threads sleep on.
  final let finishedWord = Atomic<UInt32>(0)

  // SAFETY: see I2.
  final var queue: Unmanaged<OperationQueue>?
  // SAFETY: links of a list whose members its queue keeps.
  final var next: Unmanaged<Operation>?
  final var previous: Unmanaged<Operation>?
  final var nextReady: Unmanaged<Operation>?
  final var previousReady: Unmanaged<Operation>?

  // Unchecked, for the lock keeps others off: the runtime's look at who else is in them would
  // cost every operation three times.
  // SAFETY: under `lock`; the last reference's end has nobody beside it.
  @exclusivity(unchecked) final var dependencyList: [Operation] = []
  // SAFETY: as above. Changed by `Operation+Dependents` alone.
  @exclusivity(unchecked) final var dependents: DependentList = []
  final var extras: OperationExtras?

  /// An operation that does what ``main()`` does: nothing, unless a subclass overrides it.
  public init() { isBarrier = false }

  /// A barrier of a queue.
  init(asBarrier: Void) { isBarrier = true }

  deinit {
    if !dependencyList.isEmpty { releaseDependencies() }
  }

  // MARK: Running

  /// Begins the operation, and does it: a queue calls this, once, when the operation is
  /// ready.
  ///
  /// Calls ``main()`` and is finished when that returns; one that was cancelled is finished
  /// at once. A subclass that overrides it for work of another kind does not call this one.
  ///
  /// By hand only for an operation that is in no queue. One that is not ready, or that runs
  /// already, traps; one that is finished does nothing.
  open func start() {
    let (entry, caller) = enter()
    switch entry {
    case .over: return
    case .cancelled: break
    case .work:
      executeMain()
      leaveMain()
    }
    // A queue's worker goes on itself. A subclass may say that it is not over.
    if caller == .program && isFinished { complete() }
  }

  /// The work. Does nothing; a subclass overrides it and need not call this one.
  open func main() {}

  /// Asks the operation to end.
  ///
  /// One that has not begun will not run ``main()``: it waits for nobody any more, and is
  /// finished as soon as its queue comes to it. One that runs goes on unless it looks at
  /// ``isCancelled``.
  open func cancel() { markCancelled() }

  /// Whether it was asked to end. That it was stays true after the end.
  open var isCancelled: Bool { lock.withLock { isMarkedCancelled } }

  /// Whether it is in ``main()``.
  open var isExecuting: Bool { lock.withLock { phase == .executing } }

  /// Whether it is over. Who sees `true` sees what it did.
  open var isFinished: Bool { lock.withLock { phase >= .finishing } }

  /// Whether its work goes on after ``start()`` has returned. For who asks: queues go by
  /// ``isFinished``.
  open var isAsynchronous: Bool { false }

  /// Whether all it depends on is finished, or it was cancelled.
  ///
  /// A subclass that overrides it takes this value into account, and tells of a change with
  /// ``didChangeValue(forKey:)`` for `"isReady"`: its queue asks again then.
  open var isReady: Bool { lock.withLock { unfinished == 0 || isMarkedCancelled } }

  // MARK: Dependencies

  /// Makes this operation wait until another one is finished, cancelled or not.
  ///
  /// The other one may be in any queue, in none, or finished. As long as this one has not
  /// begun it counts, in a queue too; afterwards it is only noted. The other one is kept
  /// until this one is gone or the dependency is removed; two that note each other keep each
  /// other. Its class of service is raised to this one's as soon as this one is in a queue.
  ///
  /// A dependency on itself, or one that closes a circle, of which no operation could ever
  /// begin, traps and names all that are in it. Looking for that costs nothing where the
  /// other one waits for nobody or nobody waits for this one; else as much as the smaller of
  /// both sides has operations.
  ///
  /// One that was added before is not added again.
  open func addDependency(_ op: Operation) { add(op) }

  /// Takes back ``addDependency(_:)``: if nothing else keeps this operation from being ready,
  /// it is now. Without effect if there is no such dependency.
  ///
  /// *Differences*: with the toolchain the operation is never ready.
  open func removeDependency(_ op: Operation) { remove(op) }

  /// What this operation depends on, finished or not, in the order in which it was added.
  open var dependencies: [Operation] { lock.withLock { dependencyList } }

  // MARK: Attributes

  /// Which of the operations that are ready its queue takes first. It may be changed while
  /// the operation waits; those of one priority go in the order in which they became ready.
  open var queuePriority: QueuePriority {
    get { lock.withLock { OperationLines.priority(of: line) } }
    set { changeLine(to: OperationLines.index(of: newValue)) }
  }

  /// What is called, once, when the operation is finished, cancelled or not: on some thread
  /// of the pool, after those were told that depend on it. It is set to `nil` then.
  ///
  /// One that is set when the operation is finished is not called.
  open var completionBlock: (@Sendable () -> Void)? {
    get { lock.withLock { extras?.completion } }
    set { setCompletion(newValue) }
  }

  /// How much its work matters. `default`: as its queue says; where that says nothing, as
  /// what adds it to the queue.
  ///
  /// An operation runs with the highest class of its own and of those that depend on it.
  ///
  /// *Differences*: with the toolchain it has no effect.
  open var qualityOfService: QualityOfService {
    get { lock.withLock { QualityOfService(ownBand) } }
    set { changeBand(to: newValue.urgency.band) }
  }

  /// A name, for reports and messages.
  open var name: String? {
    get { lock.withLock { extras?.name } }
    set { setName(newValue) }
  }

  // MARK: Waiting

  /// Waits until the operation is finished.
  ///
  /// From the operation itself it traps. If the operation cannot begin before the calling one
  /// has ended, it is a deadlock: that traps within a moment, with the names of all that are
  /// in it. A worker that waits is replaced by another.
  @available(*, noasync, message: "Use completionBlock or a dependent Operation instead")
  open func waitUntilFinished() { waitForEnd() }

  /// The name or the class, and the state.
  open var description: String { words }

  /// How an operation ranks among those of its queue that are ready.
  public enum QueuePriority: Int, Sendable {
    /// After all others that are ready.
    case veryLow = -8
    /// After the usual ones.
    case low = -4
    /// The usual.
    case normal = 0
    /// Before the usual ones.
    case high = 4
    /// Before all others that are ready.
    case veryHigh = 8
  }
}

extension Operation: Hashable, CustomStringConvertible {
  public static func == (a: Operation, b: Operation) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
