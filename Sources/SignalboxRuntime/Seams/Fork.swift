// Fork — what the library does when the process forks.
//
// Each part of the library with a lock or a list joins a table once, at its place in
// `ForkOrder`. The forking thread takes all their locks, so that what they guard is
// consistent at the moment of the copy, and releases them in both processes. In the child, the
// forking thread is the only one. There, each part then drops what belongs to the parent. The
// child's first submission creates a new engine. See CSignalbox/fork.h for the calls, and
// Internals/Machine.md for the argument.
//
// Touching    `held`: the forking thread.
// Invariants  I1  a thread that holds one lock of `ForkOrder` takes another only in that
//                 order. The locks of single operations and operation queues are not in
//                 it: a thread that holds one of those takes the lock of the list of
//                 operations in flight and, while events are wanted, those of type names,
//                 probes and the recorder; no other lock of the order.
//             I2  the child's handlers need no lock of the Swift runtime, because another
//                 thread may have been initializing a type or a static property. So they
//                 use no generic code (collections included) that `prepare` did not run
//                 before. The C library makes the allocator consistent.

public import CSignalbox

/// The parts that take part in a fork, in the order in which the forking thread takes
/// their locks.
package enum ForkOrder: Int32, CaseIterable {
  /// The list of queues, and the reports.
  case queues
  /// The search for cycles of operations, the operations in flight, the operation queues.
  case operations
  /// Items of run loops, and the loops.
  case loops
  /// The table of the locks that `synchronized` has made (`ObjectLocks`), not locks inside objects.
  case objects
  /// No lock: static properties that a thread may be initializing.
  case firstUses
  /// The list of all wait records.
  case waits
  /// Timers and descriptors; then the run queues and workers of every pool.
  case engine
  /// Workers that another thread will start.
  case starter
  /// The common stack of item nodes.
  case nodes
  /// The subscribers of probes.
  case probes
  /// The reported deadlocks, and the handler of reports.
  case deadlocks
  /// The graph of lock orders.
  case lockOrder
  /// The blocks in which threads state what they hold for reading. No lock.
  case readers
  /// The list of all threads' records.
  case threads
  /// The handlers of events of threads.
  case threadEvents
  /// The names of types. A thread that holds any of the locks above may take this one.
  case typeNames
  /// The rows of `QueueTimes`. A thread that holds any of the locks above may take this one.
  case queueTimes
  /// The recorder. A thread that holds any other lock may take this one, and takes none
  /// after it.
  case recorder
}

@usableFromInline
package enum Fork {
  package typealias Step = @convention(c) () -> Void

  /// In a child, a thread holds this while it renews what a thread of the parent left.
  package static let renewing = EngineLock()

  // MARK: What has happened

  /// The number of forks between the process that was started and this one.
  @inlinable package static var count: UInt32 { csb_fork_count_load() }

  /// Whether this process is a child, or a child's child, of a process that used this
  /// library.
  @inlinable @inline(__always)
  package static var hasHappened: Bool { count != 0 }

  /// Whether the thread with this number stayed behind in the parent.
  package static func hasLost(_ thread: UInt32) -> Bool { csb_fork_lost_thread(thread) != 0 }

  // MARK: A worker that becomes the child's only thread

  /// Sets what a former worker of the parent does when it has finished its item in the child. `end`
  /// does not return.
  package static func setFormerWorkerEnd(_ end: Step) { csb_fork_set_former_worker_end(end) }

  /// Ends the work of a thread that was a worker in the parent.
  static func formerWorkerHasEnded() -> Never { csb_fork_former_worker_has_ended() }

  // MARK: Joining

  /// Whether a part has joined.
  @inline(__always)
  package static func hasJoined(_ part: ForkOrder) -> Bool {
    csb_fork_has_joined(part.rawValue) != 0
  }

  /// Makes a part of a module above take part in each fork from now on, unless it already
  /// does.
  ///
  /// `make` does the part's one-time initialization. It runs once. No fork happens while it runs,
  /// not even a fork that began before this call.
  ///
  /// - Parameters:
  ///   - prepare: takes the part's locks.
  ///   - release: releases them, in both processes.
  ///   - child: in the child, drops what belongs to threads that do not exist there.
  package static func join(
    _ part: ForkOrder, prepare: Step, release: Step, child: Step? = nil, making make: Step
  ) {
    joinRuntime()
    let participant = csb_fork_participant(
      prepare: prepare, release: release, parent: nil, child: child, unprepared: nil)
    csb_fork_join_making(part.rawValue, participant, make)
  }

  /// Makes the queues take part. This does not wait for a fork on another thread: the
  /// caller is initializing a static property, which the child would never see
  /// initialized.
  ///
  /// - Parameter unprepared: called in a child of a fork that did not call `prepare`.
  package static func joinQueues(
    prepare: Step, release: Step, child: Step, unprepared: Step
  ) {
    let participant = csb_fork_participant(
      prepare: prepare, release: release, parent: nil, child: child, unprepared: unprepared)
    csb_fork_join(ForkOrder.queues.rawValue, participant)
  }

  /// Makes the runtime's own parts take part. Call it before you create anything that one
  /// of their locks guards. Once they take part, the call costs a load.
  package static func joinRuntime() {
    if hasJoined(.firstUses) { return }
    let firstUses = csb_fork_participant(
      prepare: { Fork.finishFirstUses() }, release: {}, parent: nil, child: nil, unprepared: nil)
    csb_fork_join_making(ForkOrder.firstUses.rawValue, firstUses) { Fork.joinParts() }
  }

  private static func joinPart(
    _ part: ForkOrder, prepare: Step, release: Step, parent: Step? = nil, child: Step? = nil
  ) {
    let participant = csb_fork_participant(
      prepare: prepare, release: release, parent: parent, child: child, unprepared: nil)
    csb_fork_join(part.rawValue, participant)
  }

  // MARK: The runtime's parts

  private static func joinParts() {
    joinPart(
      .waits, prepare: { WaitRegistry.shared.lockForFork() },
      release: { WaitRegistry.shared.unlockAfterFork() },
      child: { WaitRegistry.shared.forgetAll() })
    joinPart(
      .engine, prepare: { HeldEngine.take() }, release: { HeldEngine.release() },
      parent: { HeldEngine.goOn() }, child: { HeldEngine.abandon() })
    joinPart(
      .starter, prepare: { Starter.shared.lockForFork() },
      release: { Starter.shared.unlockAfterFork() }, child: { Starter.shared.forgetAll() })
    joinPart(
      .nodes, prepare: { CommonNodes.lockForFork() },
      release: { CommonNodes.unlockAfterFork() })
    joinPart(
      .readers, prepare: { ReaderBlocks.rehearse() }, release: {},
      child: { ReaderBlocks.forgetLostThreads() })
    joinPart(
      .threads, prepare: { ThreadRegistry.shared.lockForFork() },
      release: { ThreadRegistry.shared.unlockAfterFork() },
      child: { ThreadRegistry.shared.forgetAll() })
    joinPart(
      .threadEvents, prepare: { ThreadEvents.shared.lockForFork() },
      release: { ThreadEvents.shared.unlockAfterFork() })
    joinPart(
      .typeNames, prepare: { TypeName.lockForFork() }, release: { TypeName.unlockAfterFork() })
  }

  /// A stand-in for a contended lock. Before a fork, the library releases it as if threads waited
  /// for it, so that nothing remains to be initialized when the child releases such a lock.
  static let rehearsed = EngineLock()

  private static func finishFirstUses() {
    LazyStatics.force()
    rehearsed.rehearse()
  }
}

/// The engine whose locks the forking thread holds.
private enum HeldEngine {
  /// SAFETY: only the forking thread reads and writes it.
  private nonisolated(unsafe) static var held: Engine?

  static func take() {
    held = Engine.existing
    held?.driver.lockForFork()
    held?.lockPoolsForFork()
  }

  static func release() {
    held?.driver.unlockAfterFork()
    held?.unlockPoolsAfterFork()
  }

  /// Called in the parent.
  static func goOn() {
    held?.emptyInboxesAfterFork()
    held = nil
  }

  /// Called in the child.
  static func abandon() {
    held?.driver.abandon()
    csb_outside_pools_show(nil)
    held = nil
  }
}
