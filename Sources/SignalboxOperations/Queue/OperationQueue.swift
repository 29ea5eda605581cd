// OperationQueue — runs operations that are ready, so many at a time.
//
// The queue counts and orders its operations itself. It has them run by items on a dispatch
// queue: *workers*, each of which takes one operation after the other. See
// Internals/Operations.md.
//
// Touching    everything that is not constant: under `lock`, which may be taken while an
//             operation's lock is held, never the other way round.
// Invariants  I1  an operation is ready ∧ fewer run than may ∧ not suspended ⇒ a worker is
//                 under way, or the holder of the lock is about to send one, or a worker is
//                 about to take the lock to look.
//             I2  `count` > 0 ⇒ `keeper` is set: the queue has a reference to itself.

import CSignalbox
public import SignalboxDispatch
import SignalboxRuntime
public import SignalboxThreads
import Synchronization

/// A queue that runs operations when they are ready, by priority, several at a time.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 2
/// for photo in photos { queue.addOperation { makeThumbnail(photo) } }
/// queue.waitUntilAllOperationsAreFinished()
/// ```
///
/// From any thread. What waits in a queue holds no thread, and a suspended queue holds none.
/// An operation that blocks is replaced by another as far as the width allows.
///
/// A queue that is let go of still runs what was added to it.
///
/// Source: Apple's documentation of `OperationQueue`.
// SAFETY: see Touching.
open class OperationQueue: @unchecked Sendable {
  final let lock = EngineLock()
  /// Whether it is the main one, of which nothing can be changed.
  final let isMain: Bool

  // The operations in the order in which they were added.
  // SAFETY: each is retained while it is in the list.
  final var first: Unmanaged<Operation>?
  final var last: Unmanaged<Operation>?
  /// How many there are, barriers included.
  final var count = 0
  /// Of those: barriers.
  final var barrierCount = 0
  // SAFETY: a reference of its own to itself; see I2.
  final var keeper: Unmanaged<OperationQueue>?

  /// What is to be run, and by whom.
  // SAFETY: allocated by `init`, freed by `deinit`.
  final let plan = OperationPlan.make()

  /// How many have begun and are not over.
  final var running = 0
  /// `Int.max` where there is no limit.
  final var width = Int.max
  final var isHalted = false
  /// How many forks lay behind the process that last made sure that nothing of a parent's is
  /// left here; see `OperationQueue+Fork`.
  final var forks = Fork.count

  final var ownBand: Band?
  final var ownName: String?
  final var underlying: DispatchQueue?
  final var workplaces = Workplaces()

  /// How often it has become empty with somebody waiting for that: what they sleep on.
  final let emptied = Atomic<UInt32>(0)
  final var hasWaiters = false
  /// What another module does around each `main()`.
  final var monitor: OperationMonitor?
  /// What it keeps with the queue.
  final var kept: AnyObject?

  // The registry's.
  // SAFETY: see I1 of `OperationRegistry`.
  final var following: Unmanaged<OperationQueue>?
  final var preceding: Unmanaged<OperationQueue>?
  /// How many forks lay behind the process in whose list it stands.
  final var listedIn: UInt32 = 0

  /// A queue without a limit to how many operations run at a time.
  public init() {
    isMain = false
    OperationRegistry.shared.add(self)
  }

  /// The one whose operations run on the main thread.
  init(onMain: Void) {
    isMain = true
    width = 1
    underlying = .main
    ownName = "NSOperationQueue Main Queue"
    OperationRegistry.shared.add(self)
  }

  deinit {
    // First: until then a report may look at it.
    OperationRegistry.shared.remove(self)
    OperationPlan.free(plan)
  }

  // MARK: Which queue

  /// The queue one of whose operations runs the calling code; on the main thread, where that
  /// is none, the main one.
  open class var current: OperationQueue? { found }

  /// The queue whose operations run on the main thread, one at a time. Always the same object.
  /// Its name, width, class and suspension cannot be changed: to set them has no effect.
  open class var main: OperationQueue {
    OperationRegistry.prepare()
    return mainQueue
  }

  // MARK: Adding

  /// Adds an operation, to be run when it is ready and its turn has come.
  ///
  /// One that is in a queue or was in one, or has begun, traps.
  open func addOperation(_ op: Operation) { admit(op) }

  /// Adds operations, as one by one, and waits until they are finished, if asked.
  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
    for op in ops { admit(op) }
    if wait { for op in ops { op.waitUntilFinished() } }
  }

  /// Adds a ``BlockOperation`` of one block.
  open func addOperation(_ block: @escaping @Sendable () -> Void) {
    addOperation(BlockOperation(block: block))
  }

  /// Has `barrier` called when all that was added before is finished, and nothing begin that
  /// is added later until it has returned.
  ///
  /// It counts as one of those that run. It is not listed among the ``operations``.
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    admit(BarrierOperation(barrier))
  }

  // MARK: Attributes

  /// How many operations may run at a time; ``defaultMaxConcurrentOperationCount`` for no
  /// limit but what the machine can do. What runs goes on when it is lowered. Another negative
  /// number traps.
  ///
  /// An operation runs from its start until it is finished, also where it is asynchronous.
  open var maxConcurrentOperationCount: Int {
    get { lock.withLock { width == Int.max ? -1 : width } }
    set { setWidth(newValue) }
  }

  /// Whether no further operation begins. What runs goes on.
  open var isSuspended: Bool {
    get { lock.withLock { isHalted } }
    set { setSuspended(newValue) }
  }

  /// Its name, for reports; one that was given none is called by its address. Set it before
  /// operations are added: the label of the dispatch queue that it makes then stays.
  open var name: String? {
    get { shownName }
    set { setName(newValue) }
  }

  /// The class with which operations run that have none.
  ///
  /// *Differences*: with the toolchain the class of an operation has no effect.
  open var qualityOfService: QualityOfService {
    get { isMain ? .userInteractive : lock.withLock { QualityOfService(ownBand) } }
    set { setBand(newValue.urgency.band) }
  }

  /// The queue on which its operations run. `nil`, the usual case: one of its own. That of
  /// ``main`` is the main queue.
  ///
  /// The dispatch queue's own limit holds too: on a serial one, operations run one at a time.
  /// Its class counts for operations that have none. A change while there are operations in
  /// the queue traps. The queue is kept.
  unowned(unsafe) open var underlyingQueue: DispatchQueue? {
    get { lock.withLock { underlying } }
    set { setUnderlying(newValue) }
  }

  /// Those that are not finished, in the order in which they were added. They may be finished
  /// by the time one looks at them.
  open var operations: [Operation] { list(withBarriers: false) }

  /// How many are not finished, at this moment.
  open var operationCount: Int { lock.withLock { count - barrierCount } }

  // MARK: All of them

  /// Calls ``Operation/cancel()`` of all that are in the queue.
  open func cancelAllOperations() {
    for operation in list(withBarriers: true) { operation.cancel() }
  }

  /// Waits until there is no operation in the queue.
  ///
  /// From one of its own operations it would wait for ever: it traps.
  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  open func waitUntilAllOperationsAreFinished() { waitUntilEmpty() }

  /// The name and how many operations there are.
  open var description: String { words }
}

extension OperationQueue: Hashable, CustomStringConvertible {
  public static func == (a: OperationQueue, b: OperationQueue) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension OperationQueue {
  /// No limit.
  public static let defaultMaxConcurrentOperationCount: Int = -1

  fileprivate static let mainQueue = OperationQueue(onMain: ())
}
