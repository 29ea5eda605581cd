// ForkProtocol — what happens to the engine when the process forks.
//
// The thread that forks takes all of the engine's locks, so that what they guard is
// whole at the moment of the copy. In the parent they are left again. In the child,
// where this thread is the only one, they are left too; then the engine is taken
// out of use with its pool and driver, and the first submission makes a new one.
// See Internals/Machine.md.
//
// Touching    `held`: by the thread that holds all the locks.
// Invariants  I1  no thread that holds one lock of `EngineLockOrder` takes another,
//                 but the thread that forks, which takes them in this order, who asks for a
//                 type's name, and who records a step, which takes the last. (Behind
//                 `operations` and `loops` stand several; whoever takes more than one does
//                 so in this order too. The locks of single operations and operation queues
//                 are not among them: who holds one of those takes the lock of the list
//                 of operations in flight, and no other of these.)
//             I2  the child's handlers need no lock of the Swift runtime's: another
//                 thread may have been in the middle of making a type or a static
//                 property. So they use no generic code (collections included)
//                 that was not run in `prepare` before. The allocator is made whole
//                 by the C library.

public import CSignalbox

/// The engine's locks, in the order in which they are taken.
package enum EngineLockOrder: UInt8, CaseIterable {
  /// Who looks for circles of operations, which are in flight, which queues there are.
  case operations
  /// Items of run loops, and the loops.
  case loops
  /// Which objects are locked.
  case objects
  /// The list of all wait records.
  case waits
  /// Timers.
  case driver
  /// Lines and workers, of every pool.
  case pools
  /// Workers that are to be started by another thread.
  case starter
  /// The common stack of item nodes.
  case nodes
  /// Who is told of probes.
  case probes
  /// Which deadlocks were told, and to whom.
  case deadlocks
  /// What was learned of the order of locks.
  case lockOrder
  /// The list of all threads' records.
  case threads
  /// Who is told of what becomes of threads.
  case threadEvents
  /// Who asks for the name of a type. Whoever has one of those above may take it.
  case typeNames
  /// What is recorded. Whoever has another of these may take it, and none then.
  case recorder

  fileprivate static func lockAll(_ engine: Engine?) {
    var next: UInt8 = 0
    while let one = EngineLockOrder(rawValue: next) {
      one.lock(engine)
      next += 1
    }
  }

  fileprivate static func unlockAll(_ engine: Engine?) {
    var next: UInt8 = 0
    while let one = EngineLockOrder(rawValue: next) {
      one.unlock(engine)
      next += 1
    }
  }

  private func lock(_ engine: Engine?) {
    switch self {
    case .operations: ForkLocks.lockForFork()
    case .loops: ThreadLoop.lockForFork()
    case .objects: ObjectTable.lockForFork()
    case .waits: WaitRegistry.shared.lockForFork()
    case .driver: engine?.driver.lockForFork()
    case .pools: engine?.lockPoolsForFork()
    case .starter: Starter.shared.lockForFork()
    case .nodes: CommonNodes.shared.lockForFork()
    case .probes: ProbeSubscribers.shared.lockForFork()
    case .deadlocks: DeadlockReport.shared.lockForFork()
    case .lockOrder: LockOrder.shared.lockForFork()
    case .threads: ThreadRegistry.shared.lockForFork()
    case .threadEvents: ThreadEvents.shared.lockForFork()
    case .typeNames: TypeName.lockForFork()
    case .recorder: TraceCapture.shared.lockForFork()
    }
  }

  private func unlock(_ engine: Engine?) {
    switch self {
    case .operations: ForkLocks.unlockAfterFork()
    case .loops: ThreadLoop.unlockAfterFork()
    case .objects: ObjectTable.unlockAfterFork()
    case .waits: WaitRegistry.shared.unlockAfterFork()
    case .driver: engine?.driver.unlockAfterFork()
    case .pools: engine?.unlockPoolsAfterFork()
    case .starter: Starter.shared.unlockAfterFork()
    case .nodes: CommonNodes.shared.unlockAfterFork()
    case .probes: ProbeSubscribers.shared.unlockAfterFork()
    case .deadlocks: DeadlockReport.shared.unlockAfterFork()
    case .lockOrder: LockOrder.shared.unlockAfterFork()
    case .threads: ThreadRegistry.shared.unlockAfterFork()
    case .threadEvents: ThreadEvents.shared.unlockAfterFork()
    case .typeNames: TypeName.unlockAfterFork()
    case .recorder: TraceCapture.shared.unlockAfterFork()
    }
  }
}

@usableFromInline
package enum ForkProtocol {
  /// Stands for a lock that others wait for when it is left.
  static let rehearsed = EngineLock()

  /// Held by who begins anew, in a child, what a thread of the parent has left.
  package static let renewing = EngineLock()

  /// SAFETY: see Touching.
  private nonisolated(unsafe) static var held: Engine?

  /// How many forks lie between this process and the one that was started.
  @inlinable package static var count: UInt32 { csb_fork_count_load() }

  /// Whether this process is the child, or a child's child, of one that used
  /// this library.
  @inlinable @inline(__always)
  package static var hasHappened: Bool { count != 0 }

  /// Whether the thread of this number stayed behind in the parent.
  package static func hasLost(_ thread: UInt32) -> Bool { csb_fork_lost_thread(thread) != 0 }

  /// Has the engine prepared from now on. To be called by whatever makes
  /// something that a lock of `EngineLockOrder` guards; again freely.
  package static func arrange() {
    csb_fork_set_handlers(
      { ForkProtocol.prepare() }, { ForkProtocol.goOnInParent() }, { ForkProtocol.beginInChild() })
  }

  // MARK: Around the fork

  private static func prepare() {
    MadeOnce.make()
    rehearsed.rehearse()
    ReaderBlocks.rehearse()
    let engine = Engine.existing
    EngineLockOrder.lockAll(engine)
    held = engine
  }

  private static func goOnInParent() { leaveLocks()?.emptyInboxesAfterFork() }

  private static func beginInChild() {
    let engine = leaveLocks()
    csb_engine_abandon()
    WaitRegistry.shared.forgetAll()
    Starter.shared.forgetAll()
    ReaderBlocks.forgetLostThreads()
    ObjectTable.take(ObjectTable.forget)
    ForkLocks.take(.forget)
    ThreadLoop.take(.forget)
    ThreadRegistry.shared.forgetAll()
    TraceCapture.shared.forgetAfterFork()
    engine?.driver.abandon()
  }

  private static func leaveLocks() -> Engine? {
    let engine = held
    held = nil
    EngineLockOrder.unlockAll(engine)
    return engine
  }
}
