// Operation — a piece of work with a state and dependencies.
//
// `OperationPhase` defines the state, `Operation+Running` changes it, and `Dependencies/`
// connects operations. See Internals/Operations.md.
//
// Touching    `phase`, `isMarkedCancelled`, `isOffered`, `hasWaiters`, `unfinished`,
//             `listedDependencies`, `dependents`, `queue`, `extras`, `isInFlight`: under `lock`.
//             `line`, `ownBand`, `homeBand`, `raisedBand`, `band`: written under `lock` and, if
//             there is a queue, the queue's lock; read under either.
//             The links, `isLinked`, `isRunning`, `isBeingStarted`, `hasLeft`,
//             `barrierGeneration`: under the queue's lock. `readyLinks` until the operation is
//             linked: by the thread that has set `isOffered`. `mark`: under the lock of
//             `DependencySearch`.
// Invariants  I1  of two operations, the dependency's lock is taken before the dependent's; a
//                 queue's lock is taken after an operation's. Dependencies may form a cycle, so an
//                 operation's end only tries its dependents' locks. A thread that does not know
//                 which operation depends on the other never waits for one lock while it holds the
//                 other.
//             I2  `queue` is set ⇒ the queue holds a reference to the operation and keeps
//                 itself alive. `queue` is cleared, under `lock`, before the queue releases
//                 either.
//             I3  the thread that sets `isOffered` links the operation into its queue's lines,
//                 or clears `isOffered` again.

import SignalboxRuntime
public import SignalboxThreads

/// A piece of work that runs once.
///
/// ```swift
/// let fetch = BlockOperation { fetchPhotos() }
/// let show = BlockOperation { showPhotos() }
/// show.addDependency(fetch)
/// OperationQueue().addOperations([show, fetch], waitUntilFinished: false)
/// ```
///
/// A subclass overrides ``main()``; for closures, use ``BlockOperation``. For work that
/// continues after its function has returned, use ``AsynchronousOperation``; or override
/// ``start()``, ``isExecuting``, ``isFinished`` and ``isAsynchronous``, and announce each
/// change with ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, as with Apple's class.
/// These calls inform the queue directly; there is no key-value observing behind them.
///
/// Call everything from any thread. An operation that waits, for others or for its turn,
/// occupies no thread. Its queue keeps it until it is finished.
///
/// `SignalboxReport` shows an operation that can never finish.
///
/// Source: Apple's documentation of `Operation`.
// SAFETY: see Touching.
open class Operation: @unchecked Sendable {
  final let lock = EngineLock()
  final var phase = OperationPhase.new
  final var isMarkedCancelled = false
  /// The operation was found ready, and is in a line of its queue or about to be.
  final var isOffered = false
  final var hasWaiters = false

  /// The index of its priority, 0 for the lowest. With `band` it selects the line of its queue that
  /// the operation joins when it is ready; see `OperationLines.Index`.
  final var line = OperationLines.usual
  /// The class that the program gave it.
  final var ownBand: Band?
  /// The class of its queue, or of the work that added it.
  final var homeBand = Band.standard
  /// The highest class of its dependents.
  final var raisedBand: Band?
  /// The class with which it runs, once it is in a queue.
  final var band = Band.standard

  /// The operation is in one of its queue's lines, or in a line behind a barrier.
  final var isLinked = false
  /// The queue counts it as running. An asynchronous operation still counts after its `start()` has
  /// returned, though no worker runs it then.
  final var isRunning = false
  /// A worker is in its `start()`.
  final var isBeingStarted = false
  final var hasLeft = false
  /// Its `start()` has returned, and it is not finished.
  final var isInFlight = false
  final let isBarrier: Bool
  /// Its barrier generation in its queue.
  final var barrierGeneration: UInt32 = 0

  /// The number of unfinished dependencies that it waits for.
  final var unfinished: Int32 = 0
  /// The search that visited it last.
  final var mark: UInt32 = 0
  /// 0, or 1 once it is finished; waiting threads sleep on it. Read and written under `lock`.
  final let finishedWord = SingleWriter<UInt32>(0)

  // SAFETY: see I2.
  final var queue: Unmanaged<OperationQueue>?
  // SAFETY: links of two lists whose members the queue keeps alive.
  @exclusivity(unchecked) final var links = ListLinks<Unmanaged<Operation>>()
  @exclusivity(unchecked) final var readyLinks = ListLinks<Unmanaged<Operation>>()

  // Unchecked because the lock already excludes other threads, and the runtime's exclusivity check
  // would run three times for every operation.
  // SAFETY: under `lock`; no other thread has a reference during deinitialization.
  // Only `Operation+DependencyList` changes it.
  @exclusivity(unchecked) final var listedDependencies: [Operation] = []
  // SAFETY: see `listedDependencies`. Only `Operation+Dependents` changes it.
  @exclusivity(unchecked) final var dependents: DependentList = []
  final var extras: OperationExtras?

  /// Creates an operation that runs ``main()``, which does nothing unless a subclass overrides it.
  public init() { isBarrier = false }

  init(asBarrier: Void) { isBarrier = true }

  deinit {
    if hasDependencies { releaseDependencies() }
  }

  // MARK: Running

  /// Starts and runs the operation. A queue calls this once, when the operation is ready.
  ///
  /// The default calls ``main()`` and finishes the operation when that returns; a cancelled
  /// operation finishes at once. A subclass that overrides this method for another kind of work
  /// must not call `super`.
  ///
  /// Call it yourself only on an operation that is in no queue. If the operation is not ready
  /// or already runs, the call traps; if it is finished, the call does nothing.
  open func start() {
    let (entry, caller) = enter()
    switch entry {
    case .over: return
    case .cancelled: break
    case .work:
      executeMain()
      leaveMain()
    }
    // A queue's worker completes the operation itself. A subclass may report that it is not
    // over.
    if caller == .program && isFinished { complete() }
  }

  /// The work. The default does nothing; an override need not call `super`.
  open func main() {}

  /// Asks the operation to end.
  ///
  /// An operation that has not begun does not run ``main()``: it no longer waits for its
  /// dependencies, and finishes as soon as its queue reaches it. An operation that runs
  /// continues unless it checks ``isCancelled``.
  open func cancel() { markCancelled() }

  /// Whether the operation was cancelled. Stays true after it finishes.
  open var isCancelled: Bool { lock.withLock { isMarkedCancelled } }

  /// Whether the operation is in ``main()``.
  open var isExecuting: Bool { lock.withLock { phase == .executing } }

  /// Whether the operation is finished. A thread that sees `true` also sees everything that the
  /// operation did.
  open var isFinished: Bool { lock.withLock { phase >= .finishing } }

  /// Whether the work continues after ``start()`` has returned. Queues ignore this and use
  /// ``isFinished``.
  open var isAsynchronous: Bool { false }

  /// Whether all dependencies are finished, or the operation was cancelled.
  ///
  /// An override must take this value into account, and announce a change with
  /// ``didChangeValue(forKey:)`` for `"isReady"`; the queue then asks again.
  open var isReady: Bool { lock.withLock { unfinished == 0 || isMarkedCancelled } }

  // MARK: Dependencies

  /// Makes this operation wait until another one is finished, cancelled or not.
  ///
  /// The other operation may be in any queue, in none, or finished. A dependency that you add
  /// before this operation begins delays it, even if it is already in a queue; one that you add
  /// later is only recorded. This operation retains the other one until this one is freed or you
  /// remove the dependency; two operations that depend on each other retain each other. Once
  /// this operation is in a queue, the other one's QoS class is raised to at least this one's.
  ///
  /// A dependency of an operation on itself traps. If a cycle of dependencies persists in
  /// queues, Signalbox warns and names its operations. Checking for a cycle costs nothing if the
  /// other operation has no dependencies, or this one has no dependents. Otherwise the cost is
  /// proportional to the number of operations that the other one waits for, or that wait for this
  /// one, whichever is smaller.
  ///
  /// Adding the same dependency again has no effect.
  open func addDependency(_ op: Operation) { add(op) }

  /// Removes a dependency. If nothing else keeps this operation from being ready, it is ready
  /// now. Has no effect if there is no such dependency.
  ///
  /// *Differences*: with the toolchain, the operation never becomes ready.
  open func removeDependency(_ op: Operation) { remove(op) }

  /// The operations that this one depends on, finished or not, in the order in which you added
  /// them.
  open var dependencies: [Operation] { lock.withLock { dependencyList } }

  // MARK: Attributes

  /// The priority among the ready operations of a queue. You can change it while the operation
  /// waits; operations of the same priority run in the order in which they became ready.
  open var queuePriority: QueuePriority {
    get { lock.withLock { OperationLines.priority(of: line) } }
    set { changeLine(to: OperationLines.index(of: newValue)) }
  }

  /// A block that is called once when the operation is finished, cancelled or not: on a thread
  /// of the pool, after the dependents were notified. The property is then set to `nil`.
  ///
  /// A block that you set on a finished operation is never called.
  open var completionBlock: (@Sendable () -> Void)? {
    get { lock.withLock { extras?.completion } }
    set { setCompletion(newValue) }
  }

  /// The QoS class of the work. With `default`, the operation uses its queue's class, or if the
  /// queue has none, the class of the work that adds it.
  ///
  /// An operation runs with the highest class among its own and those of the operations that
  /// depend on it.
  ///
  /// *Differences*: with the toolchain it has no effect.
  open var qualityOfService: QualityOfService {
    get { lock.withLock { QualityOfService(ownBand) } }
    set { changeBand(to: newValue.urgency.band) }
  }

  /// A name for reports and messages.
  open var name: String? {
    get { lock.withLock { extras?.name } }
    set { setName(newValue) }
  }

  // MARK: Waiting

  /// Waits until the operation is finished.
  ///
  /// Calling it from the operation itself traps. If the operation cannot begin before the calling
  /// operation ends, that is a deadlock, which traps within a moment with the names of all
  /// operations involved. While a worker waits, another worker takes its place.
  @available(*, noasync, message: "Use completionBlock or a dependent Operation instead")
  open func waitUntilFinished() { waitForEnd() }

  /// The name or the class, and the state.
  open var description: String { words }

  /// The priority of an operation among the ready ones of its queue.
  public enum QueuePriority: Int, Sendable {
    /// Runs after all other ready operations.
    case veryLow = -8
    /// Runs after the operations of normal priority.
    case low = -4
    /// The default.
    case normal = 0
    /// Runs before the operations of normal priority.
    case high = 4
    /// Runs before all other ready operations.
    case veryHigh = 8
  }
}

extension Operation: Hashable, CustomStringConvertible {
  public static func == (a: Operation, b: Operation) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
