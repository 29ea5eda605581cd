// Pool — the threads that run everything, and the rules by which they wake.
//
// A *runnable* (usually an item that drains a queue) is submitted to the shared lines or, by
// a worker, to that worker's own slot. Workers take from their slot, then from the lines. At
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
// Ordering    PL1  slotHint's store, then the look into all slots, on one side;
//                  a slot's exchange, then slotHint's load, on the other, all
//                  sequentially consistent: either the submitter calls, or the
//                  worker that changed the hint sees the slot (`SlotProtocol` in
//                  the model tests).
// Invariants  I1  running ≤ places while work is handed out, except for workers that
//                 return from a wait or from polling, which park at the end of
//                 their item, and for what presses, see `Pool+Pressing`.
//             I2  lines not empty ∧ running < places ⇒ there is a spinning worker, or the holder
//                 of the lock is about to make one, or a worker keeps the poller's role:
//                 it returns soon and calls, or else the backup poller does. At the
//                 ceiling there is a monitor instead, as in I4.
//             I3  a slot occupied ∧ running < places ⇒ the same.
//             I4  lines not empty or a slot occupied ∧ running ≥ places ⇒ there is
//                 a spinning worker or a monitor, or the holder of the lock is about to
//                 call one.
// Rejected    one list for each worker, with stealing: since queues are the runnables,
//             the lines are used once a batch, and under one lock nothing can be
//             lost. Measure this again on many cores.

import CSignalbox
public import Synchronization

@usableFromInline
package final class Pool: @unchecked Sendable {  // SAFETY: `shared` is guarded by `lock`.
  /// How many workers run at once at most, of this tier and of those above it together.
  /// It follows the machine.
  package var width: Int { machine.last }
  let machine: MachineWidth
  /// The most workers that exist while any of them runs.
  package let ceiling: Int
  /// The tier of these workers' kernel priority.
  package let tier: Tier
  /// The pools of the tiers above and below.
  // SAFETY: set by `Engine` before the pool is known to others.
  private(set) nonisolated(unsafe) var upper: Pool?
  private(set) nonisolated(unsafe) var lower: Pool?

  let lock = EngineLock()
  let shared: UnsafeMutablePointer<Shared>
  /// The runnables that came to a pool of a lower tier while its lock was held; see
  /// `Pool+Inbox`.
  let inbox = ItemList()
  /// How many runnables are in the lines, for checks without the lock.
  @usableFromInline let pendingHint = Atomic<Int>(0)
  /// What a worker that fills or empties its slot must know; see `SlotHint`.
  let slotHint = Atomic<UInt32>(SlotHint.mustCall)
  /// The value of `running`, for the tiers below.
  let busy = Atomic<Int>(0)

  struct Shared: ~Copyable {
    var lines = RunQueue()
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
    /// Whether a monitor looks for workers that block outside the doors.
    var isWatched = false
    /// Room for the suspects of a look. The monitor takes it when it begins.
    var suspects: [Int32] = []
    /// The monitor, while it may be woken.
    var sleepingMonitor: WorkerPointer?
    /// Whether all workers that had places at the last look keep them without computing;
    /// see `Pool+Churning`.
    var churns = false
    var saidCeiling = false
  }

  enum SlotHint {
    /// There is no spinning worker, and one more worker may run or there is no monitor: a worker
    /// that fills a slot calls.
    static let mustCall: UInt32 = 1
    /// More workers run than may: a worker that empties its slot gives the runnable away
    /// and parks.
    static let surplus: UInt32 = 2
  }

  // MARK: Numbers

  /// How many times in a row a worker takes from its slot before it takes from the lines.
  static let slotRunLimit: UInt32 = 32

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

  /// Whether the lines contain runnables. A hint.
  @inlinable @inline(__always)
  package var hasPending: Bool {
    // order: relaxed; may be out of date, decisions are made under the lock.
    pendingHint.load(ordering: .relaxed) > 0
  }

  /// Submits a runnable. Any thread; usually no system call while the pool is busy.
  package func submit(_ item: ItemPointer, at urgency: Urgency) {
    if tier == .normal, let worker = workerOfThisThread, !presses(urgency, upon: worker) {
      submitToSlot(item, of: worker)
    } else {
      submitShared(item, at: urgency)
    }
  }

  /// Submits a runnable to the lines.
  package func submitShared(_ item: ItemPointer, at urgency: Urgency) {
    if tier != .normal { return submitToInbox(item) }
    lock.lock()
    append(item, at: urgency)
    let call = callForWork()
    unlock()
    place(call)
  }

  private func submitToSlot(_ item: ItemPointer, of worker: WorkerPointer) {
    // order: sequentially consistent, PL1; also W1
    let displaced = worker.pointee.slot.exchange(item, ordering: .sequentiallyConsistent)
    if let displaced {
      let urgency = displaced.urgencyOfRunnable
      if worker.isKeeping { return lock.withLock { append(displaced, at: urgency) } }
      return submitShared(displaced, at: urgency)
    }
    if worker.pointee.isDelivering { return }
    // order: sequentially consistent, PL1
    let hint = slotHint.load(ordering: .sequentiallyConsistent)
    if hint & SlotHint.mustCall != 0 { callForSlot(worker) }
  }

  /// Offers the invitation of a concurrent queue that this thread is about to serve.
  /// Another worker may take it and help.
  package func submitSpare(_ item: ItemPointer, at urgency: Urgency) {
    guard tier == .normal, let worker = workerOfThisThread,
      // order: relaxed; only this worker fills it.
      worker.pointee.spare.load(ordering: .relaxed) == nil
    else { return submitShared(item, at: urgency) }
    // order: sequentially consistent, PL1; also W1
    worker.pointee.spare.store(item, ordering: .sequentiallyConsistent)
    // order: sequentially consistent, PL1
    let hint = slotHint.load(ordering: .sequentiallyConsistent)
    if hint & SlotHint.mustCall != 0 { callForSlot(worker) }
  }

  /// The worker of this pool that runs on this thread, if any.
  private var workerOfThisThread: WorkerPointer? {
    guard let worker = Worker.ofThisThread, worker.pointee.tier == tier else { return nil }
    return worker
  }

  /// Calls a worker after this one has filled its slot or spare, because there is no
  /// spinning worker.
  @inline(never)
  private func callForSlot(_ worker: WorkerPointer) {
    lock.lock()
    // This lets the spinning worker, when it comes, know how long the runnable has waited.
    look(at: worker, now: Clock.uptime.now)
    let call = callForWork()
    unlock()
    place(call)
  }

  /// Appends a runnable to the lines. The caller holds the lock.
  func append(_ item: ItemPointer, at urgency: Urgency) {
    shared.pointee.lines.append(item, at: urgency)
    // order: relaxed; only the holder of the lock writes it.
    let pending = pendingHint.load(ordering: .relaxed)
    pendingHint.store(pending + 1, ordering: .relaxed)  // order: relaxed; see above.
  }

  /// Takes a runnable out of the lines. The caller holds the lock.
  func popPending() -> ItemPointer? { countPopped(shared.pointee.lines.popFirst()) }

  /// Counts a runnable that was taken out of the lines. The caller holds the lock.
  func countPopped(_ popped: (item: ItemPointer, urgency: Urgency)?) -> ItemPointer? {
    guard let item = popped?.item else { return nil }
    // order: relaxed; only the holder of the lock writes it.
    let pending = pendingHint.load(ordering: .relaxed)
    pendingHint.store(pending - 1, ordering: .relaxed)  // order: relaxed; see above.
    return item
  }
}

extension ItemPointer {
  /// The urgency of a runnable.
  var urgencyOfRunnable: Urgency { pointee.flags.urgency.or(.standard) }
}
