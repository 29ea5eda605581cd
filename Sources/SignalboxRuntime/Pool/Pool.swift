// Pool — the threads that run everything, and the rules by which they wake.
//
// A *runnable* (usually a queue's drain task) is submitted to the shared run queue or, by a worker,
// to that worker's own slot. Workers take from their slot, then from the run queue. A worker needs
// a *permit* to run; there are as many as the width, less those that higher tiers have taken. At
// most one idle worker is awake: the *spinning worker*. It spins for a moment. Then, while others
// run, it checks every few dozen microseconds whether a slot's runnable waits behind a long
// item. Then it parks.
//
// There is one pool for each `Tier`: the workers of one kernel priority.
//
// States      a worker: running · spinning worker (spinning, ticking) · parked ·
//             blocked in a wait · polling · watching. See Internals/Pool.md.
// Touching    `shared`: under `lock`. `pendingHint`, `slotHint`, `busy`: written
//             under `lock`, read by any thread. `upper`, `lower`: before first use.
// Ordering    PL1  slotHint's store, then the scan of all slots, on one side; a slot's exchange,
//                  then slotHint's load, on the other, all sequentially consistent: either the
//                  submitter calls, or the worker that changed the hint sees the slot
//                  (`SlotProtocol` in the model tests).
// Invariants  I1  running ≤ permits while work is handed out, except for workers that
//                 return from a wait or from polling, which park at the end of
//                 their item, and for what overcommits, see `Pool+Overcommit`.
//             I2  run queue not empty ∧ running < permits ⇒ there is a spinning worker, or the
//                 holder of the lock is about to make one, or a worker keeps the poller's role:
//                 it returns soon and calls, or else the backup poller does. At the
//                 ceiling there is a monitor instead, as in I4.
//             I3  a slot occupied ∧ running < permits ⇒ the same.
//             I4  run queue not empty or a slot occupied ∧ running ≥ permits ⇒ there is
//                 a spinning worker or a monitor, or the holder of the lock is about to
//                 call one.
// Rejected    one list for each worker, with stealing: the runnables are queues, so the
//             run queue is used only once per batch of items, and under one lock nothing
//             can be lost. Measure this again on many cores.

import CSignalbox
public import Synchronization

@usableFromInline
package final class Pool: @unchecked Sendable {  // SAFETY: `shared` is guarded by `lock`.
  /// How many workers may run at once, of this tier and of those above it together. It
  /// changes with the available processors.
  package var width: Int { machine.last }
  let machine: MachineWidth
  /// The maximum number of workers that exist while any of them runs.
  package let ceiling: Int
  /// The tier of these workers' kernel priority.
  package let tier: Tier
  /// The pools of the tiers above and below.
  // SAFETY: set by `Engine` before the pool is known to others.
  private(set) nonisolated(unsafe) var upper: Pool?
  private(set) nonisolated(unsafe) var lower: Pool?

  let lock = EngineLock()
  let shared: UnsafeMutablePointer<Shared>
  /// The runnables that were submitted to a pool of a lower tier while its lock was
  /// held; see `Pool+Inbox`.
  let inbox = ItemList()
  /// How many runnables are in the run queue. Written under the lock; a check without the lock may
  /// find an old number, and a thread that acts on it checks again under the lock.
  @usableFromInline let pendingHint = SingleWriter<Int>(0)
  /// What a worker that fills or empties its slot must know; see `SlotHint`.
  let slotHint = Atomic<UInt32>(SlotHint.mustCall)
  /// The value of `running`. Written under the lock; the tiers below and reports may find an old
  /// number.
  let busy = SingleWriter<Int>(0)

  struct Shared: ~Copyable {
    var runQueue = RunQueue()
    var idle: WorkerPointer?
    var all = IntrusiveList<AllWorkers>()
    /// The workers that are not parked, blocked or polling.
    var running = 0
    var total = 0
    var started: UInt32 = 0
    var spinner: WorkerPointer?
    var spinnerSleeps = false
    /// How many spins of a spinning worker in a row found nothing.
    var spinsInVain: UInt32 = 0
    /// Whether a monitor looks for workers that block outside `Parking`.
    var isWatched = false
    /// Room for the suspects of a scan. The monitor takes it when it begins.
    var suspects: [Int32] = []
    /// The monitor, while it may be woken.
    var sleepingMonitor: WorkerPointer?
    /// Whether all workers that had permits at the last scan keep them without computing;
    /// see `Pool+Churning`.
    var churns = false
    var saidCeiling = false
    /// Whether the system has refused this pool a thread.
    var wasRefused = false
    /// What metrics show; a C structure, for readers in other processes.
    var counts = csb_outside_pool_counts()
  }

  enum SlotHint {
    /// There is no spinning worker, and one more worker may run or there is no monitor: a worker
    /// that fills a slot must call another worker.
    static let mustCall: UInt32 = 1
    /// More workers run than may: a worker that empties its slot gives the runnable away
    /// and parks.
    static let surplus: UInt32 = 2
  }

  /// Creates a pool whose width never changes.
  package convenience init(width: Int, ceiling: Int) {
    self.init(on: MachineWidth(always: width), ceiling: ceiling)
  }

  package init(on machine: MachineWidth, ceiling: Int, tier: Tier = .normal) {
    self.machine = machine
    self.ceiling = ceiling
    self.tier = tier
    shared = .allocate(capacity: 1)
    shared.initialize(to: Shared())
  }

  package func stand(above lower: Pool) {
    self.lower = lower
    lower.upper = self
  }

  // MARK: Submitting

  /// Whether the run queue contains runnables. A hint.
  @inlinable @inline(__always)
  package var hasPending: Bool {
    pendingHint.load() > 0
  }

  /// Submits a runnable. Any thread; usually no system call while the pool is busy.
  package func submit(_ item: ItemPointer, at urgency: Urgency) {
    if tier == .normal, let worker = workerOfThisThread, !overcommits(urgency, over: worker) {
      submitToSlot(item, of: worker)
    } else {
      submitShared(item, at: urgency)
    }
  }

  /// Submits a runnable to the run queue.
  package func submitShared(_ item: ItemPointer, at urgency: Urgency) {
    if tier != .normal { return submitToInbox(item) }
    lock.lock()
    append(item, at: urgency)
    let call = callForWork()
    unlock()
    carryOut(call)
  }

  /// The worker of this pool that runs on this thread, if any.
  var workerOfThisThread: WorkerPointer? {
    guard let worker = Worker.ofThisThread, worker.pointee.tier == tier else { return nil }
    return worker
  }

  /// Releases the lock. In a lower tier, also takes what arrived in the inbox.
  @inline(__always)
  func unlock() {
    if tier == .normal { return lock.unlock() }
    lock.unlockBeforeLook()
    emptyInbox()
  }

  /// Appends a runnable to the run queue. The caller holds the lock.
  func append(_ item: ItemPointer, at urgency: Urgency) {
    shared.pointee.runQueue.append(item, at: urgency)
    pendingHint.add(1)
  }

  /// The caller holds the lock.
  func popPending() -> ItemPointer? { countPopped(shared.pointee.runQueue.popFirst()) }

  /// Counts a runnable that was taken out of the run queue. The caller holds the lock.
  func countPopped(_ popped: (item: ItemPointer, urgency: Urgency)?) -> ItemPointer? {
    guard let item = popped?.item else { return nil }
    pendingHint.add(-1)
    return item
  }
}

extension ItemPointer {
  /// The urgency of a runnable.
  var urgencyOfRunnable: Urgency { pointee.flags.urgency.or(.standard) }
}
