// Pool — the threads that run everything, and the rules by which they wake.
//
// A *runnable* (an item that drains a queue, mostly) is submitted to the shared
// lines or, by a worker, to that worker's own slot. Workers take from their
// slot, then from the lines. At most one idle worker is awake: the *lookout*.
// It spins for a moment, then, while others run, looks every few dozen
// microseconds whether a slot's runnable waits behind a long item; then parks.
//
// States      a worker: running · lookout (spinning, ticking) · parked ·
//             blocked in a wait · keeping time. See Internals/Pool.md.
// Touching    `shared`: under `lock`. `pendingHint`, `slotHint`: written under
//             `lock`, read by anyone.
// Ordering    PL1  slotHint's store, then the look into all slots, on one side;
//                  a slot's exchange, then slotHint's load, on the other, all
//                  sequentially consistent: either the submitter calls, or the
//                  one who lowered its guard sees the slot (`SlotProtocol` in
//                  the model tests).
// Invariants  I1  running ≤ width while work is handed out, but for workers that
//                 come back from a wait or from keeping time: those park at
//                 their item's end.
//             I2  lines not empty ∧ running < width ⇒ there is a lookout, or
//                 the holder of the lock is about to make one.
//             I3  a slot occupied ∧ running < width ⇒ the same.
// Rejected    a list a worker with stealing: with queues as runnables the lines
//             are touched once a batch, and under one lock nothing is lost by
//             construction. To be measured again on many cores.

import CSignalbox
public import Synchronization

@usableFromInline
package final class Pool: @unchecked Sendable {  // SAFETY: `shared` is guarded by `lock`.
  /// How many workers run at once, at most.
  package let width: Int
  /// How many workers there may be while any of them still runs.
  package let ceiling: Int

  let lock = EngineLock()
  let shared: UnsafeMutablePointer<Shared>
  /// How many runnables stand in the lines, for looks without the lock.
  @usableFromInline let pendingHint = Atomic<Int>(0)
  /// What a worker that fills or empties its slot must know; see `SlotHint`.
  let slotHint = Atomic<UInt32>(SlotHint.call)

  struct Shared: ~Copyable {
    var bands = RunBands()
    var idle: WorkerPointer?
    var all: WorkerPointer?
    /// Workers neither parked nor blocked nor keeping time.
    var running = 0
    var total = 0
    var started: UInt32 = 0
    var lookout: WorkerPointer?
    var lookoutSleeps = false
    var saidCeiling = false
  }

  enum SlotHint {
    /// Someone looks out, or every place is taken: nothing to do.
    static let none: UInt32 = 0
    /// Nobody looks out and one worker more may run: call for it.
    static let call: UInt32 = 1
    /// More workers run than may: give the slot away and park.
    static let surplus: UInt32 = 2
  }

  // MARK: Numbers

  /// Slot takes in a row before the lines get a turn.
  static let slotRunLimit: UInt32 = 32

  package init(width: Int, ceiling: Int) {
    self.width = width
    self.ceiling = ceiling
    shared = .allocate(capacity: 1)
    shared.initialize(to: Shared())
  }

  // MARK: Submitting

  /// Whether runnables stand in the lines. A hint.
  @inlinable @inline(__always)
  package var hasPending: Bool {
    // order: relaxed; a hint, decisions are made under the lock.
    pendingHint.load(ordering: .relaxed) > 0
  }

  /// Hands a runnable over. Any thread; no system call while the pool is busy.
  package func submit(_ item: ItemPointer, band: Band) {
    if let worker = Worker.ofThisThread {
      submit(item, band: band, from: worker)
    } else {
      submitShared(item, band: band)
    }
  }

  /// Hands a runnable to the lines.
  package func submitShared(_ item: ItemPointer, band: Band) {
    lock.lock()
    append(item, band: band)
    let call = callForWork()
    lock.unlock()
    place(call)
  }

  private func submit(_ item: ItemPointer, band: Band, from worker: WorkerPointer) {
    if band != .standard { return submitShared(item, band: band) }
    // order: sequentially consistent, PL1; also W1
    let displaced = worker.pointee.slot.exchange(item, ordering: .sequentiallyConsistent)
    if let displaced { return submitShared(displaced, band: .standard) }
    // order: sequentially consistent, PL1
    if slotHint.load(ordering: .sequentiallyConsistent) == SlotHint.call { callForSlot(worker) }
  }

  /// Hands over the invitation of a concurrent queue that this thread is about
  /// to serve: another may come and help.
  package func submitSpare(_ item: ItemPointer, band: Band) {
    guard let worker = Worker.ofThisThread, band == .standard,
      // order: relaxed; only this worker puts.
      worker.pointee.spare.load(ordering: .relaxed) == nil
    else { return submitShared(item, band: band) }
    // order: sequentially consistent, PL1; also W1
    worker.pointee.spare.store(item, ordering: .sequentiallyConsistent)
    // order: sequentially consistent, PL1
    if slotHint.load(ordering: .sequentiallyConsistent) == SlotHint.call { callForSlot(worker) }
  }

  /// The worker filled its slot or spare and nobody looks out.
  @inline(never)
  private func callForSlot(_ worker: WorkerPointer) {
    lock.lock()
    // So that the lookout, when it has come, knows how long it has waited.
    look(at: worker, now: Clock.uptime.now)
    let call = callForWork()
    lock.unlock()
    place(call)
  }

  /// Under the lock: puts a runnable into the lines.
  func append(_ item: ItemPointer, band: Band) {
    shared.pointee.bands.append(item, band: band)
    // order: relaxed; a hint, written under the lock.
    let pending = pendingHint.load(ordering: .relaxed)
    pendingHint.store(pending + 1, ordering: .relaxed)  // order: relaxed; as above.
  }

  /// Under the lock: takes a runnable out of the lines.
  func popPending() -> ItemPointer? {
    guard let item = shared.pointee.bands.popFirst() else { return nil }
    // order: relaxed; a hint, written under the lock.
    let pending = pendingHint.load(ordering: .relaxed)
    pendingHint.store(pending - 1, ordering: .relaxed)  // order: relaxed; as above.
    return item
  }

  // MARK: Calling a lookout

  /// What is to be done once the lock is left.
  enum Call {
    case nobody
    case wake(WorkerPointer)
    case start(Worker.Errand)
  }

  /// Under the lock: makes sure that someone is looking for work, if a worker
  /// more may run.
  func callForWork() -> Call {
    let shared = self.shared
    if let lookout = shared.pointee.lookout {
      guard shared.pointee.lookoutSleeps else { return .nobody }
      shared.pointee.lookoutSleeps = false
      rouse(lookout)
      return .wake(lookout)
    }
    guard shared.pointee.running < width else { return .nobody }
    if let worker = shared.pointee.idle {
      shared.pointee.idle = worker.pointee.nextIdle
      worker.pointee.nextIdle = nil
      worker.pointee.errand = .work
      shared.pointee.running += 1
      setLookout(worker)
      rouse(worker)
      return .wake(worker)
    }
    return mayStart ? .start(.work) : .nobody
  }

  /// Under the lock: the worker's word says that it is to be awake. The system
  /// call that tells the kernel follows outside the lock; when it comes late
  /// it wakes nobody, or somebody who looks at the word and sleeps on.
  func rouse(_ worker: WorkerPointer) {
    worker.pointee.word.store(WorkerWord.awake, ordering: .releasing)  // order: releasing, W2
  }

  /// Under the lock: whether there may be one worker more.
  private var mayStart: Bool {
    if shared.pointee.total < ceiling { return true }
    // Every worker waits and work is pending: the ceiling gives way, so that
    // a program that is right finishes.
    guard shared.pointee.running == 0 else { return false }
    if !shared.pointee.saidCeiling {
      shared.pointee.saidCeiling = true
      complain(
        "all \(shared.pointee.total) workers wait while work is pending; starting more. "
          + "Items that block cost a thread each: see BlockedReport.text().")
    }
    return true
  }

  /// Under the lock: who looks out changes.
  func setLookout(_ worker: WorkerPointer?) {
    shared.pointee.lookout = worker
    shared.pointee.lookoutSleeps = false
    updateSlotHint()
  }

  /// Under the lock: `running` or `lookout` has changed.
  func updateSlotHint() {
    let running = shared.pointee.running
    let wanted =
      running > width
      ? SlotHint.surplus
      : running < width && shared.pointee.lookout == nil ? SlotHint.call : SlotHint.none
    // order: relaxed; written under the lock only.
    if slotHint.load(ordering: .relaxed) != wanted {
      // order: sequentially consistent, PL1
      slotHint.store(wanted, ordering: .sequentiallyConsistent)
    }
  }

  /// Outside the lock: wakes or starts whom the lock's holder chose.
  func place(_ call: Call) {
    switch call {
    case .nobody: break
    case .wake(let worker):
      Probe.worker(.workerWoken, worker)
      WaitingDoor.wake(Worker.wordAddress(of: worker))
    case .start(let errand): start(errand)
    }
  }

  /// Under the lock: whether anything waits for a worker.
  func workRemains() -> Bool {
    if !shared.pointee.bands.isEmpty { return true }
    var next = shared.pointee.all
    while let worker = next {
      // order: sequentially consistent, PL1
      if worker.pointee.slot.load(ordering: .sequentiallyConsistent) != nil { return true }
      // order: sequentially consistent, PL1
      if worker.pointee.spare.load(ordering: .sequentiallyConsistent) != nil { return true }
      next = worker.pointee.nextOfAll
    }
    return false
  }
}
