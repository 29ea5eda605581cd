// Fork — what the library does when the process forks.
//
// Each part of the library with a lock or a list joins a table once, at its place in
// `ForkOrder`. The thread that forks takes all their locks, so that what they guard is whole
// at the moment of the copy, and leaves them again in both processes. In the child, where it
// is the only thread, each part then drops what belongs to the parent. The child's first
// submission makes a new engine. See CSignalbox/fork.h for the calls, and
// Internals/Machine.md for the argument.
//
// Touching    `held`: the thread that forks.
// Invariants  I1  a thread that holds one lock of `ForkOrder` takes another only as that
//                 order says. The locks of single operations and operation queues are not
//                 in it: a thread that holds one of those takes the lock of the list of
//                 operations in flight, and no other of these.
//             I2  the child's handlers need no lock of the Swift runtime's: another
//                 thread may have been in the middle of making a type or a static
//                 property. So they use no generic code (collections included)
//                 that was not run in `prepare` before. The allocator is made whole
//                 by the C library.

public import CSignalbox

/// The parts that take part in a fork, in the order in which their locks are taken.
package enum ForkOrder: Int32, CaseIterable {
  /// The list of queues, and the reports.
  case queues
  /// Who looks for circles of operations, which are in flight, which queues there are.
  case operations
  /// Items of run loops, and the loops.
  case loops
  /// Which objects are locked.
  case objects
  /// No lock: static properties that a thread may be making.
  case firstUses
  /// The list of all wait records.
  case waits
  /// Timers and descriptors; then the run queues and workers of every pool.
  case engine
  /// Workers that another thread is to start.
  case starter
  /// The common stack of item nodes.
  case nodes
  /// Who is told of probes.
  case probes
  /// Which deadlocks were reported, and to whom.
  case deadlocks
  /// What was learned of the order of locks.
  case lockOrder
  /// Blocks of what threads hold for reading. No lock.
  case readers
  /// The list of all threads' records.
  case threads
  /// Who is told when a thread starts and ends.
  case threadEvents
  /// Who asks for the name of a type. A thread that holds one of those above may take it.
  case typeNames
  /// What is recorded. A thread that holds any other lock may take it, and none after it.
  case recorder
}

@usableFromInline
package enum Fork {
  package typealias Step = @convention(c) () -> Void

  /// Held by a thread that renews, in a child, what a thread of the parent has left.
  package static let renewing = EngineLock()

  // MARK: What has happened

  /// How many forks lie between this process and the one that was started.
  @inlinable package static var count: UInt32 { csb_fork_count_load() }

  /// Whether this process is the child, or a child's child, of one that used
  /// this library.
  @inlinable @inline(__always)
  package static var hasHappened: Bool { count != 0 }

  /// Whether the thread of this number stayed behind in the parent.
  package static func hasLost(_ thread: UInt32) -> Bool { csb_fork_lost_thread(thread) != 0 }

  // MARK: Joining

  /// Whether a part has joined.
  @inline(__always)
  package static func hasJoined(_ part: ForkOrder) -> Bool {
    csb_fork_has_joined(part.rawValue) != 0
  }

  /// Has a part of a module above take part in each fork from now on, unless it does already.
  ///
  /// `make` makes what the part makes once. It runs once, and no process forks meanwhile: not
  /// even one that was forking when this was called.
  ///
  /// - Parameters:
  ///   - prepare: takes the part's locks.
  ///   - release: leaves them, in both processes.
  ///   - child: in the child, drops what belongs to threads that are not there.
  package static func join(
    _ part: ForkOrder, prepare: Step, release: Step, child: Step? = nil, making make: Step
  ) {
    joinRuntime()
    let participant = csb_fork_participant(
      prepare: prepare, release: release, parent: nil, child: child, unprepared: nil)
    csb_fork_join_making(part.rawValue, participant, make)
  }

  /// Has the queues take part. It does not wait for a fork on another thread: the caller is in
  /// the middle of making a static property, which the child would never see made.
  ///
  /// - Parameters:
  ///   - unprepared: in a child of a fork that did not call `prepare`.
  package static func joinQueues(
    prepare: Step, release: Step, child: Step, unprepared: Step
  ) {
    let participant = csb_fork_participant(
      prepare: prepare, release: release, parent: nil, child: child, unprepared: unprepared)
    csb_fork_join(ForkOrder.queues.rawValue, participant)
  }

  /// Has the runtime's own parts take part. Call it before you make anything that one of their
  /// locks guards. Costs a load once they do.
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
      .nodes, prepare: { CommonNodes.shared.lockForFork() },
      release: { CommonNodes.shared.unlockAfterFork() })
    joinPart(
      .probes, prepare: { ProbeSubscribers.shared.lockForFork() },
      release: { ProbeSubscribers.shared.unlockAfterFork() })
    joinPart(
      .deadlocks, prepare: { DeadlockReport.shared.lockForFork() },
      release: { DeadlockReport.shared.unlockAfterFork() })
    joinPart(
      .lockOrder, prepare: { LockOrder.shared.lockForFork() },
      release: { LockOrder.shared.unlockAfterFork() })
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
    joinPart(
      .recorder, prepare: { TraceCapture.shared.lockForFork() },
      release: { TraceCapture.shared.unlockAfterFork() },
      child: { TraceCapture.shared.forgetAfterFork() })
  }

  /// Stands for a lock that others wait for when it is left.
  static let rehearsed = EngineLock()

  private static func finishFirstUses() {
    MadeOnce.make()
    rehearsed.rehearse()
  }
}

/// The engine whose locks the thread that forks holds.
private enum HeldEngine {
  /// SAFETY: only the thread that forks reads and writes it.
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

  /// In the parent.
  static func goOn() {
    held?.emptyInboxesAfterFork()
    held = nil
  }

  /// In the child.
  static func abandon() {
    held?.driver.abandon()
    held = nil
  }
}
