// DispatchQueue+Fork — what happens to queues in a forked child.
//
// The child empties the queues that every program has and those that the forking thread is on, owns
// or shares: their items belong to the parent. It checks any other queue at first use. An idle
// queue works. A queue that was busy traps, because the threads that would continue it do not exist
// in the child, and the queue would hang silently.
//
// Touching    `forkCount`: any thread, atomically.
// Ordering    FK1  a check's releasing store of `forkCount` → an acquiring load: a thread that
//                  sees what this process did with the queue also sees that it was checked
//                  before.

import CSignalbox
import SignalboxRuntime
import Synchronization

extension DispatchQueue {
  /// Call it in a forked child before any step that may leave something for other threads: an
  /// item in the list, a share, a drain task.
  @inline(never)
  final func checkFork() {
    let count = Fork.count
    // order: relaxed; a thread that has seen this process's work has the current value.
    if record.head.forkCount.load(ordering: .relaxed) == count { return }
    let isEmpty = list.isEmpty()
    let word = state.ownersSnapshot
    // What was just read may be this process's own work, done after another thread's check: look
    // for that check again.
    // order: acquiring, FK1
    if record.head.forkCount.load(ordering: .acquiring) == count { return }
    let wasRunning = (word.isOwned && Fork.hasLost(word.owner)) || word.hasShared
    if wasRunning || !isEmpty || word.isPending || word.isScheduled || word.isGated {
      trapForked(wasRunning)
    }
    record.head.forkCount.store(count, ordering: .releasing)  // order: releasing, FK1
  }

  private func trapForked(_ wasRunning: Bool) -> Never {
    clientBug(
      "the queue \(quotedLabel) \(wasRunning ? "was running" : "had work pending") in the parent "
        + "when this process was forked, and the threads that would continue do not exist here. Wait "
        + "until the queue is idle before fork(), or create a queue in the child.")
  }

  /// Empties the list in a forked child, whose only thread is `thread`: the items belong to the
  /// parent.
  fileprivate final func startAnew(_ thread: UInt32, shares: Int?) {
    list.abandon()
    workloop?.ordered.abandon()
    level.startAnew()
    state.startAnew(thread, shares: shares)
    // order: relaxed; the child has only one thread.
    record.head.forkCount.store(Fork.count, ordering: .relaxed)
  }

  /// Whether this process has not used the queue since the fork.
  final var isLeftByParent: Bool {
    // order: relaxed; only asked once no other thread has a reference.
    Fork.hasHappened && record.head.forkCount.load(ordering: .relaxed) != Fork.count
  }
}

/// The queues' part in the fork protocol.
///
/// `fork` takes the queues' locks before the engine's locks. In both processes, it releases them
/// before the engine's part runs, because that part may free a queue. No thread creates or frees a
/// queue while it holds a lock of the engine.
enum ForkedQueues {
  /// Registers the queues as a participant; runs when the first queue is created or a report is
  /// first requested.
  static let arranged: Void = {
    // Initialize it first, because a child that calls the handlers must not find it half
    // initialized.
    _ = QueueRegistry.shared
    Fork.setFormerWorkerEnd { MainQueueDrain.shared.runForEver() }
    Fork.joinQueues(
      prepare: { ForkedQueues.prepare() }, release: { ForkedQueues.releaseLocks() },
      child: { ForkedQueues.beginInChild() }, unprepared: { QueueRegistry.shared.forgetAll() })
  }()

  private static func takeLocks() {
    ReportSources.shared.lockForFork()
    StuckReport.shared.lockForFork()
    QueueRegistry.shared.lockForFork()
  }

  private static func releaseLocks() {
    QueueRegistry.shared.unlockAfterFork()
    StuckReport.shared.unlockAfterFork()
    ReportSources.shared.unlockAfterFork()
  }

  /// A stand-in for a queue that the thread is on.
  static let rehearsed = DispatchQueue(label: "org.signalbox.fork")

  /// Runs the child's part once before the fork, so that everything that the child needs is
  /// initialized. Whatever another thread is initializing during a fork stays half initialized in
  /// the child.
  private static func prepare() {
    LazyStatics.force()
    forEachEverlasting { _ in }
    QueueFrame.with(rehearsed) {
      ThreadHold.with(rehearsed.address, .queue) {
        QueueFrame.withOnly(rehearsed) {
          let stack = ThreadStack.ofThisThread
          _ = stack.shares(of: rehearsed)
          forEachHeld(by: stack) { queue, shares in
            if queue === rehearsed { queue.startAnew(stack.thread, shares: shares) }
          }
        }
      }
    }
    takeLocks()
  }

  private static func beginInChild() {
    let stack = ThreadStack.ofThisThread
    forEachEverlasting { $0.startAnew(stack.thread, shares: nil) }
    // The thread continues its current items in the child, so they are its own.
    forEachHeld(by: stack) { $0.startAnew(stack.thread, shares: $1) }
    MainQueueDrain.renewIfMade()
  }

  /// Calls `body` with each queue that the calling thread is on, owns or shares, and with the number
  /// of its shares, but not with the queues that every program has. It may get a queue more than
  /// once.
  ///
  /// Of some of these queues no frame can be reached: targets that a `sync` took, and the queues
  /// whose item waits in a `sync` that runs the items before its own.
  private static func forEachHeld(
    by stack: ThreadStack, _ body: (DispatchQueue, _ shares: Int) -> Void
  ) {
    _ = stack.anyQueue { queue in
      let isOwner = queue.state.snapshot.owner == stack.thread
      switch queue.shape {
      case .main, .global: break
      case .serial, .workloop:
        if isOwner || QueueFrame.isDirectlyOn(queue) { body(queue, 0) }
      case .concurrent:
        let shares = stack.shares(of: queue)
        if isOwner || shares > 0 { body(queue, shares) }
      }
      return false
    }
  }

  private static func forEachEverlasting(_ body: (DispatchQueue) -> Void) {
    body(DispatchQueue.main)
    body(DispatchQueue.global(qos: .background))
    body(DispatchQueue.global(qos: .utility))
    body(DispatchQueue.global(qos: .default))
    body(DispatchQueue.global(qos: .userInitiated))
    body(DispatchQueue.global(qos: .userInteractive))
    body(DispatchQueue.global(qos: .unspecified))
    JobQueues.forEachMade(body)
  }
}

extension QueueState {
  /// Keeps what `thread` holds in a forked child, and clears everything else, which belongs to the
  /// parent.
  ///
  /// - Parameter shares: how many shares that thread holds; nil to leave the count unchanged, on
  ///   a queue where nothing waits for shares to end.
  fileprivate borrowing func startAnew(_ thread: UInt32, shares: Int?) {
    let old = snapshot
    var new = old.without(Snapshot.pendingBit | Snapshot.scheduledBit | Snapshot.gatedBit)
    if old.owner != thread { new = new.unowned }
    if let shares {
      new = new.without(Snapshot.sharedMask)
      // A thread that owns a concurrent queue holds no share.
      if old.owner != thread { new.bits += UInt64(shares) * Snapshot.oneShared }
    }
    word.store(new.bits, ordering: .relaxed)  // order: relaxed; the child has only one thread.
  }
}
