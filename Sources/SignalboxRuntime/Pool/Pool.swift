// Pool — the threads that run everything, and the rules by which they wake.
//
// A *runnable* (an item that drains a queue, mostly) is submitted to the shared
// lines or, by a worker, to that worker's own slot. Workers take from their
// slot, then from the lines. At most one idle worker is awake: the *lookout*.
// It spins for a moment, then, while others run, looks every few dozen
// microseconds whether a slot's runnable waits behind a long item; then parks.
//
// There is one pool for each `Tier`: the workers of one kernel priority.
//
// States      a worker: running · lookout (spinning, ticking) · parked ·
//             blocked in a wait · polling · watching. See Internals/Pool.md.
// Touching    `shared`: under `lock`. `pendingHint`, `slotHint`, `busy`: written
//             under `lock`, read by anyone. `upper`, `lower`: before first use.
// Ordering    PL1  slotHint's store, then the look into all slots, on one side;
//                  a slot's exchange, then slotHint's load, on the other, all
//                  sequentially consistent: either the submitter calls, or the
//                  one who lowered its guard sees the slot (`SlotProtocol` in
//                  the model tests).
// Invariants  I1  running ≤ places while work is handed out, but for workers that
//                 come back from a wait or from polling: those park at
//                 their item's end; and for what presses, see `Pool+Pressing`.
//             I2  lines not empty ∧ running < places ⇒ there is a lookout, or the holder
//                 of the lock is about to make one, or a worker keeps the poller's role: it
//                 is back soon and calls, or else the deputy does.
//             I3  a slot occupied ∧ running < places ⇒ the same.
//             I4  lines not empty or a slot occupied ∧ running ≥ places ⇒ there is
//                 a lookout or a watcher, or the holder of the lock is about to
//                 call one.
// Rejected    a list a worker with stealing: with queues as runnables the lines
//             are touched once a batch, and under one lock nothing is lost by
//             construction. To be measured again on many cores.

import CSignalbox
public import Synchronization

@usableFromInline
package final class Pool: @unchecked Sendable {  // SAFETY: `shared` is guarded by `lock`.
  /// How many workers run at once, at most: of this tier and of those above it
  /// together. It follows the machine.
  package var width: Int { machine.last }
  let machine: MachineWidth
  /// How many workers there may be while any of them still runs.
  package let ceiling: Int
  /// Whose kernel priority these workers have.
  package let tier: Tier
  /// The pools of the tiers above and below.
  // SAFETY: set by `Engine` before the pool is known to others.
  private(set) nonisolated(unsafe) var upper: Pool?
  private(set) nonisolated(unsafe) var lower: Pool?

  let lock = EngineLock()
  let shared: UnsafeMutablePointer<Shared>
  /// What came to a pool of a lower tier while its lock was held; see `Pool+Inbox`.
  let inbox = ItemList()
  /// How many runnables stand in the lines, for looks without the lock.
  @usableFromInline let pendingHint = Atomic<Int>(0)
  /// What a worker that fills or empties its slot must know; see `SlotHint`.
  let slotHint = Atomic<UInt32>(SlotHint.mustCall)
  /// `running`, for the tiers below.
  let busy = Atomic<Int>(0)

  struct Shared: ~Copyable {
    var lines = RunLines()
    var idle: WorkerPointer?
    var all = IntrusiveList<AllWorkers>()
    /// Workers neither parked nor blocked nor polling.
    var running = 0
    var total = 0
    var started: UInt32 = 0
    var lookout: WorkerPointer?
    var lookoutSleeps = false
    /// Spins of a lookout in a row that found nothing.
    var spinsInVain: UInt32 = 0
    /// Whether someone watches for workers that block outside the doors.
    var isWatched = false
    /// Room for those that a look finds: the watcher's, which takes it when it begins.
    var suspects: [Int32] = []
    /// The watcher, while it may be woken.
    var sleepingWatcher: WorkerPointer?
    /// Whether all that had places at the last look keep them without computing; see
    /// `Pool+Churning`.
    var churns = false
    var saidCeiling = false
  }

  enum SlotHint {
    /// Nobody looks out, and one worker more may run or nobody watches: who fills a
    /// slot calls.
    static let mustCall: UInt32 = 1
    /// More workers run than may: who empties its slot gives it away and parks.
    static let surplus: UInt32 = 2
  }

  // MARK: Numbers

  /// Slot takes in a row before the lines get a turn.
  static let slotRunLimit: UInt32 = 32

  /// A pool whose width never changes.
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

  /// Puts this pool above `lower`.
  package func stand(above lower: Pool) {
    self.lower = lower
    lower.upper = self
  }

  // MARK: Submitting

  /// Whether runnables stand in the lines. A hint.
  @inlinable @inline(__always)
  package var hasPending: Bool {
    // order: relaxed; a hint, decisions are made under the lock.
    pendingHint.load(ordering: .relaxed) > 0
  }

  /// Hands a runnable over, whose flags say how urgent it is. Any thread; no system
  /// call while the pool is busy.
  package func submit(_ item: ItemPointer, at urgency: Urgency) {
    if tier == .normal, let worker = workerOfThisThread, !presses(urgency, upon: worker) {
      submitToSlot(item, of: worker)
    } else {
      submitShared(item, at: urgency)
    }
  }

  /// Hands a runnable to the lines.
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

  /// Hands over the invitation of a concurrent queue that this thread is about
  /// to serve: another may come and help.
  package func submitSpare(_ item: ItemPointer, at urgency: Urgency) {
    guard tier == .normal, let worker = workerOfThisThread,
      // order: relaxed; only this worker puts.
      worker.pointee.spare.load(ordering: .relaxed) == nil
    else { return submitShared(item, at: urgency) }
    // order: sequentially consistent, PL1; also W1
    worker.pointee.spare.store(item, ordering: .sequentiallyConsistent)
    // order: sequentially consistent, PL1
    let hint = slotHint.load(ordering: .sequentiallyConsistent)
    if hint & SlotHint.mustCall != 0 { callForSlot(worker) }
  }

  /// The worker of this pool that this thread is, if it is one.
  private var workerOfThisThread: WorkerPointer? {
    guard let worker = Worker.ofThisThread, worker.pointee.tier == tier else { return nil }
    return worker
  }

  /// The worker filled its slot or spare and nobody looks out.
  @inline(never)
  private func callForSlot(_ worker: WorkerPointer) {
    lock.lock()
    // So that the lookout, when it has come, knows how long it has waited.
    look(at: worker, now: Clock.uptime.now)
    let call = callForWork()
    unlock()
    place(call)
  }

  /// Under the lock: puts a runnable into the lines.
  func append(_ item: ItemPointer, at urgency: Urgency) {
    shared.pointee.lines.append(item, at: urgency)
    // order: relaxed; a hint, written under the lock.
    let pending = pendingHint.load(ordering: .relaxed)
    pendingHint.store(pending + 1, ordering: .relaxed)  // order: relaxed; as above.
  }

  /// Under the lock: takes a runnable out of the lines.
  func popPending() -> ItemPointer? { countPopped(shared.pointee.lines.popFirst()) }

  /// Under the lock: `popped` was taken out of the lines.
  func countPopped(_ popped: (item: ItemPointer, urgency: Urgency)?) -> ItemPointer? {
    guard let item = popped?.item else { return nil }
    // order: relaxed; a hint, written under the lock.
    let pending = pendingHint.load(ordering: .relaxed)
    pendingHint.store(pending - 1, ordering: .relaxed)  // order: relaxed; as above.
    return item
  }
}

extension ItemPointer {
  /// How urgent a runnable is.
  var urgencyOfRunnable: Urgency { pointee.flags.urgency.or(.standard) }
}
