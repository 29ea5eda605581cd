// OperationQueue — runs operations that are ready, up to a limit at a time.
//
// The queue counts and orders its operations itself. It runs them with items on a dispatch
// queue: *workers*, each of which takes one operation after the other. See
// Internals/Operations.md.
//
// Touching    everything that is not constant: under `lock`, which may be taken while an
//             operation's lock is held, never the other way round.
// Invariants  I1  if an operation is ready, fewer run than the width allows, and the queue is not
//                 suspended: a worker has been sent, or the holder of the lock is about to send
//                 one, or a worker is about to take the lock to look.
//             I2  `count` > 0 ⇒ `keeper` is set: the queue has a reference to itself.

import CSignalbox
public import SignalboxDispatch
import SignalboxRuntime
public import SignalboxThreads

/// A queue that runs operations when they are ready, by priority, several at a time.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 2
/// for photo in photos { queue.addOperation { makeThumbnail(photo) } }
/// queue.waitUntilAllOperationsAreFinished()
/// ```
///
/// Use it from any thread. Operations that wait in a queue occupy no thread, nor does a
/// suspended queue. While an operation blocks, another one runs in its place as far as the
/// width allows.
///
/// A queue that you release still runs the operations that were added to it.
///
/// Source: Apple's documentation of `OperationQueue`.
// SAFETY: see Touching.
open class OperationQueue: @unchecked Sendable {
  final let lock = EngineLock()
  /// Whether it is the main queue, whose settings cannot change.
  final let isMain: Bool

  // The operations in the order in which they were added.
  // SAFETY: each is retained while it is in the list.
  @exclusivity(unchecked) final var all = IntrusiveList<QueuedOperations>()
  /// The number of operations, barriers included.
  final var count: Int { all.count }
  final var barrierCount = 0
  // SAFETY: the queue's reference to itself; see I2.
  final var keeper: Unmanaged<OperationQueue>?

  /// The operations to run and the workers that were sent.
  // SAFETY: allocated by `init`, freed by `deinit`.
  final let plan = OperationPlan.make()

  /// The number of operations that have begun and are not over.
  final var running = 0
  /// `Int.max` if there is no limit.
  final var width = Int.max
  final var isHalted = false
  /// The fork count of the process that last checked that the queue holds no work from the
  /// parent process; see `OperationQueue+Fork`.
  final var forkCount = Fork.count

  final var ownBand: Band?
  final var ownName: String?
  final var underlying: DispatchQueue?
  final var backingQueues = BackingQueues()

  /// How many times the queue became empty while a thread waited for that; the threads sleep on it.
  /// Read and written under `lock`.
  final let emptied = SingleWriter<UInt32>(0)
  final var hasWaiters = false
  /// What another module does around each `main()`.
  final var monitor: OperationMonitor?
  /// The object that the module attaches to the queue.
  final var kept: AnyObject?

  // Links of the registry's list.
  // SAFETY: see I1 of `OperationRegistry`.
  @exclusivity(unchecked) final var links = ListLinks<Unmanaged<OperationQueue>>()

  /// Creates a queue without a limit on how many operations run at a time.
  public init() {
    isMain = false
    OperationRegistry.shared.add(self)
  }

  init(onMain: Void) {
    isMain = true
    width = 1
    underlying = .main
    ownName = "NSOperationQueue Main Queue"
    OperationRegistry.shared.add(self)
  }

  deinit {
    // Do this first: until then a report may look at the queue.
    OperationRegistry.shared.remove(self)
    OperationPlan.free(plan)
  }

  // MARK: Which queue

  /// The queue whose operation runs the calling code. On the main thread outside operations,
  /// the main queue.
  open class var current: OperationQueue? { found }

  /// The queue whose operations run on the main thread, one at a time. Always the same object.
  /// Its name, width, class and suspension are fixed: setting them has no effect.
  open class var main: OperationQueue {
    OperationRegistry.prepare()
    return mainQueue
  }

  // MARK: Adding

  /// Adds an operation, which runs when it is ready and its turn comes.
  ///
  /// Adding an operation that is or was in a queue, or that has begun, traps.
  open func addOperation(_ op: Operation) { admit(op) }

  /// Adds operations one by one, and optionally waits until they are finished.
  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
    for op in ops { admit(op) }
    if wait { for op in ops { op.waitUntilFinished() } }
  }

  /// Adds a ``BlockOperation`` with one block.
  open func addOperation(_ block: @escaping @Sendable () -> Void) {
    addOperation(BlockOperation(block: block))
  }

  /// Calls `barrier` when all operations added before are finished. No operation added later
  /// begins until it has returned.
  ///
  /// The barrier counts as a running operation. ``operations`` does not list it.
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    admit(BarrierOperation(barrier))
  }

  // MARK: Attributes

  /// How many operations may run at a time; ``defaultMaxConcurrentOperationCount`` means no
  /// limit except the machine's. Lowering it does not stop operations that run. Any other
  /// negative number traps.
  ///
  /// An operation, even an asynchronous one, counts from its start until it is finished.
  open var maxConcurrentOperationCount: Int {
    get { lock.withLock { width == Int.max ? -1 : width } }
    set { setWidth(newValue) }
  }

  /// Whether the queue starts no further operations. Operations that run continue.
  open var isSuspended: Bool {
    get { lock.withLock { isHalted } }
    set { setSuspended(newValue) }
  }

  /// The queue's name for reports; the default is its address. Set it before you add
  /// operations, because the dispatch queue that the queue creates keeps its label.
  open var name: String? {
    get { shownName }
    set { setName(newValue) }
  }

  /// The class of operations that have none.
  ///
  /// *Differences*: with the toolchain the class of an operation has no effect.
  open var qualityOfService: QualityOfService {
    get { isMain ? .userInteractive : lock.withLock { QualityOfService(ownBand) } }
    set { setBand(newValue.urgency.band) }
  }

  /// The dispatch queue on which the operations run. With `nil`, the default, the queue uses
  /// one of its own. For ``main`` it is the main queue.
  ///
  /// The dispatch queue's own limit also applies: on a serial queue, operations run one at a
  /// time. Its class applies to operations that have none. Setting this property while the queue
  /// has operations traps. The queue retains the dispatch queue.
  unowned(unsafe) open var underlyingQueue: DispatchQueue? {
    get { lock.withLock { underlying } }
    set { setUnderlying(newValue) }
  }

  /// The unfinished operations, in the order in which they were added. They may finish while
  /// you look at them.
  open var operations: [Operation] { list(withBarriers: false) }

  /// The number of unfinished operations at this moment.
  open var operationCount: Int { lock.withLock { count - barrierCount } }

  // MARK: All of them

  /// Calls ``Operation/cancel()`` on all operations in the queue.
  open func cancelAllOperations() {
    for operation in list(withBarriers: true) { operation.cancel() }
  }

  /// Waits until the queue has no operations.
  ///
  /// Calling it from one of the queue's own operations would wait forever, and traps.
  @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
  open func waitUntilAllOperationsAreFinished() { waitUntilEmpty() }

  /// The name and the number of operations.
  open var description: String { words }
}

extension OperationQueue: Hashable, CustomStringConvertible {
  public static func == (a: OperationQueue, b: OperationQueue) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension OperationQueue {
  /// The width that sets no limit.
  public static let defaultMaxConcurrentOperationCount: Int = -1

  fileprivate static let mainQueue = OperationQueue(onMain: ())
}
