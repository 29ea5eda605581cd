// DispatchQueue+Fork — what becomes of the queues in a forked child.
//
// The queues that every program has, and those that the forking thread is on, are
// emptied: what stood in them is the parent's. Any other queue is looked at when
// the child first uses it. An idle one just works. One that was in the middle of
// something would be silent for ever, because the threads that should go on are
// not here, so it traps.
//
// Touching    `checkedIn`: any thread, atomically.
// Ordering    FK1  a check's releasing store of `checkedIn` → an acquiring load: who
//                  sees what this process did with the queue sees that it was
//                  checked before.

import CSignalbox
import SignalboxRuntime
import Synchronization

extension DispatchQueue {
  /// To be called in a forked child before any step that may leave something to
  /// others: an item in the list, a share, an invitation.
  @inline(never)
  final func checkFork() {
    let count = Fork.count
    // order: relaxed; a hint, and what was seen of this process's work makes it
    // current.
    if checkedIn.load(ordering: .relaxed) == count { return }
    let isEmpty = list.isEmpty()
    let word = state.ownersSnapshot
    // What was just seen may be this process's own work, after another thread's
    // check.
    // order: acquiring, FK1
    if checkedIn.load(ordering: .acquiring) == count { return }
    let wasRunning = (word.isOwned && Fork.hasLost(word.owner)) || word.hasShared
    if wasRunning || !isEmpty || word.isPending || word.isEnlisted || word.isGated {
      trapForked(wasRunning)
    }
    checkedIn.store(count, ordering: .releasing)  // order: releasing, FK1
  }

  private func trapForked(_ wasRunning: Bool) -> Never {
    clientBug(
      "the queue \(quotedLabel) \(wasRunning ? "was running" : "had work pending") in the parent "
        + "when this process was forked, and the threads that would go on are not here. Let it "
        + "come to rest before fork(), or use a queue that the child makes itself.")
  }

  /// In a forked child whose only thread is `thread`: what is in the list is the
  /// parent's.
  fileprivate final func startAnew(_ thread: UInt32, shares: Int?) {
    list.abandon()
    level.startAnew()
    state.startAnew(thread, shares: shares)
    // order: relaxed; no other thread is there.
    checkedIn.store(Fork.count, ordering: .relaxed)
  }

  /// Whether nothing of this process stands in the queue's word.
  final var isLeftByParent: Bool {
    // order: relaxed; asked when nobody else has a reference any more.
    Fork.hasHappened && checkedIn.load(ordering: .relaxed) != Fork.count
  }
}

/// The queues' part in the fork protocol.
///
/// Their locks are taken before those of the engine, and left before its part in either process
/// is done: that may free a queue. Nobody makes or frees one with a lock of the engine's held.
enum ForkedQueues {
  /// Has the queues take part; called when the first one is made, or a report is first asked
  /// for.
  static let arranged: Void = {
    // First: who is called in a child must not find it half made.
    _ = QueueRegistry.shared
    csb_fork_set_former_worker_end { MainQueueDrain.shared.runForEver() }
    Fork.joinQueues(
      prepare: { ForkedQueues.prepare() }, release: { ForkedQueues.leaveLocks() },
      child: { ForkedQueues.beginInChild() }, unprepared: { QueueRegistry.shared.forgetAll() })
  }()

  private static func takeLocks() {
    ReportSources.shared.lockForFork()
    StuckReport.shared.lockForFork()
    QueueRegistry.shared.lockForFork()
  }

  private static func leaveLocks() {
    QueueRegistry.shared.unlockAfterFork()
    StuckReport.shared.unlockAfterFork()
    ReportSources.shared.unlockAfterFork()
  }

  /// Stands for a queue that the thread is on.
  static let rehearsed = DispatchQueue(label: "org.signalbox.fork")

  /// Another thread in the middle of making something that the child needs would
  /// leave it unmade there for ever. So the child's part is played once before.
  private static func prepare() {
    MadeOnce.make()
    forEachEverlasting { _ in }
    QueueFrame.with(rehearsed) {
      QueueFrame.forEachQueue { queue, frames in
        if queue === rehearsed { queue.startAnew(csb_thread_number(), shares: 0) }
      }
    }
    takeLocks()
  }

  private static func beginInChild() {
    let thread = csb_thread_number()
    forEachEverlasting { $0.startAnew(thread, shares: nil) }
    // What this thread is on in this moment is its own: it goes on here too.
    QueueFrame.forEachQueue { queue, frames in
      if queue.shape == .serial || queue.shape == .concurrent || queue.shape == .workloop {
        queue.startAnew(thread, shares: queue.shape == .concurrent ? frames : 0)
      }
    }
    MainQueueDrain.renewIfMade()
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
  /// In a forked child: what `thread` holds stays, all else is the parent's.
  /// `shares`: how many are that thread's; nil to leave them, on a queue on which
  /// nothing waits for their end.
  fileprivate borrowing func startAnew(_ thread: UInt32, shares: Int?) {
    let old = snapshot
    var new = old.without(Snapshot.pendingBit | Snapshot.enlistedBit | Snapshot.gatedBit)
    if old.owner != thread { new = new.unowned }
    if let shares {
      new = new.without(Snapshot.sharedMask)
      // Who is alone on a concurrent queue holds no share.
      if old.owner != thread { new.bits += UInt64(shares) * Snapshot.oneShared }
    }
    word.store(new.bits, ordering: .relaxed)  // order: relaxed; no other thread is there.
  }
}

extension QueueFrame {
  /// Calls `body` for each queue that this thread is on, with its frames' number.
  fileprivate static func forEachQueue(_ body: (DispatchQueue, Int) -> Void) {
    var next = innermost
    while let frame = next {
      next = frame.pointee.outerFrame
      let queue = frame.pointee.queue
      // The outermost of its frames speaks for all.
      if countFrames(of: queue, from: next) > 0 { continue }
      let count = countFrames(of: queue, from: innermost)
      queue._withUnsafeGuaranteedRef { body($0, count) }
    }
  }

  private static func countFrames(
    of queue: Unmanaged<DispatchQueue>, from start: UnsafeMutablePointer<QueueFrame>?
  ) -> Int {
    var count = 0
    var next = start
    while let frame = next {
      if frame.pointee.queue.toOpaque() == queue.toOpaque() { count += 1 }
      next = frame.pointee.outerFrame
    }
    return count
  }

  private var outerFrame: UnsafeMutablePointer<QueueFrame>? {
    // SAFETY: only `with` writes it.
    outer?.assumingMemoryBound(to: QueueFrame.self)
  }
}
