// Worker — a thread of the pool: its state, and its main loop.
//
// Touching    `slot`, `spare`: their worker fills and takes, others take.
//             `word`: the worker and the thread that wakes it. `serves`, `takes`,
//             `progress`, `urgency`, `beganAt`, `beganAs`: written by the worker, read by
//             the spinning worker and the monitor. `notes`: written under the pool's lock, read by
//             the worker. The rest: under the pool's lock.
// Ordering    W1  a submitter's exchange of `slot` or `spare` → the taker's
//                 exchange: it sees the item's contents.
//             W2  a waker's releasing store of `word` → the worker's acquiring
//                 load after its sleep.

import CSignalbox
public import Synchronization

@usableFromInline
package typealias WorkerPointer = UnsafeMutablePointer<Worker>

@usableFromInline
package struct Worker: ~Copyable {
  /// The links of the pool's list. Under the pool's lock. They come first because
  /// ThreadSanitizer takes the use of their address for a change of the worker's first word.
  var links = ListLinks<WorkerPointer>()
  /// The runnable that this worker takes next, unless the spinning worker finds that it waits too
  /// long.
  @usableFromInline let slot = Atomic<ItemPointer?>(nil)
  /// The invitation of the concurrent queue that this worker serves, for another worker
  /// that helps. The spinning worker leaves it alone while the items are so short that two
  /// workers would only obstruct each other.
  let spare = Atomic<ItemPointer?>(nil)
  /// How many items of concurrent queues this worker has run.
  @usableFromInline let progress = Atomic<UInt64>(0)
  /// The urgency of what the worker runs, or ran last.
  let urgency = Atomic<UInt8>(0)
  /// The invitation of the queue that the worker serves, or served last; nil if it runs
  /// something else. Other threads only compare the address.
  let serves = Atomic<ItemPointer?>(nil)
  /// How many runnables this worker has taken.
  let takes = Atomic<UInt64>(0)
  /// When the worker last took something from the pool rather than from its slot or
  /// spare, on the uptime clock, and the sum of `takes` and `progress` until it takes or
  /// runs anything else.
  let beganAt = Atomic<UInt64>(0)
  let beganAs = Atomic<UInt64>(0)
  /// Whether the worker sleeps; see `WorkerWord`.
  let word = Atomic<UInt32>(WorkerWord.awake)
  /// What the worker must do at the end of its runnable; see `WorkerNotes`.
  let notes = Atomic<UInt32>(0)

  /// How many times in a row the worker took from `slot`. A limit keeps two queues that
  /// call each other from starving the rest. Its worker only.
  var slotRun: UInt32 = 0
  /// Whether the worker delivers what it found as the poller. Its worker only.
  var isDelivering = false
  /// Decides how long the worker spins when it has no work. Its worker only.
  var patience = AdaptiveSpin()
  /// What the worker found as the poller. Its worker only.
  var batch = Batch()

  // Under the pool's lock:
  var nextIdle: WorkerPointer?
  /// The values of `takes` and `progress` at the spinning worker's last look, and the time of
  /// that look.
  var takesSeen: UInt64 = 0
  var progressSeen: UInt64 = 0
  var seenAt: UInt64 = 0
  /// Whether another worker should take what is in `slot` or `spare`.
  var needsHelp = false
  /// Why the worker is woken: what it does next.
  var wakeReason: WakeReason = .work
  /// Whether `running` counts the worker.
  var isCounted = false
  /// The band of the starving runnable that the worker runs beyond the width; nil after
  /// that ends.
  var rescues: Band?
  var watch = Pool.Watch()
  /// 0 before its thread runs.
  var kernelID: Int32 = 0
  var thread: UInt32 = 0
  let number: UInt32
  @usableFromInline package let tier: Tier
  /// SAFETY: unretained; a pool lives as long as the process.
  package let pool: Unmanaged<Pool>

  enum WakeReason { case work, poll, backupPoll, watch }

  init(number: UInt32, pool: Pool) {
    self.number = number
    tier = pool.tier
    // SAFETY: a pool lives as long as the process.
    self.pool = Unmanaged.passUnretained(pool)
  }

  /// The address of a worker's word, for waking it. For the kernel it is only a key: the
  /// worker may have ended when it is used.
  static func wordAddress(of worker: WorkerPointer) -> UnsafeRawPointer {
    SignalboxRuntime.wordAddress(worker.pointee.word)
  }

  /// The worker of this thread, if it has one.
  package static var ofThisThread: WorkerPointer? {
    // SAFETY: the worker's own thread sets it to its own record.
    csb_thread_self().pointee.worker?.assumingMemoryBound(to: Worker.self)
  }
}

enum AllWorkers: ListLinkage {
  static func links(of worker: WorkerPointer) -> ListLinks<WorkerPointer>.Pointer {
    withUnsafeMutablePointer(to: &worker.pointee.links) { $0 }
  }
}

enum WorkerWord {
  static let awake: UInt32 = 0
  static let asleep: UInt32 = 1
}

/// What a worker must do at the end of its runnable.
enum WorkerNotes {
  /// The monitor found it blocked outside the doors; it is not counted as running.
  static let countedOut: UInt32 = 1
  /// Its kernel priority was raised because a more urgent thread waits for it.
  static let boosted: UInt32 = 2
}

extension Pool {
  /// The body of a worker's thread.
  func run(_ worker: WorkerPointer) {
    begin(worker)
    while let item = takeOwn(worker) ?? next(worker) {
      // order: relaxed; the spinning worker only compares two readings.
      let takes = worker.pointee.takes.load(ordering: .relaxed)
      worker.pointee.takes.store(takes &+ 1, ordering: .relaxed)  // order: relaxed; see above.
      worker.noteQueue(of: item)
      // order: relaxed; the counts that read it may be out of date.
      worker.pointee.urgency.store(item.urgencyOfRunnable.rawValue, ordering: .relaxed)
      item.pointee.function(UnsafeMutableRawPointer(item))
      // The item forked, and this is the child: the pool belongs to the parent.
      if Worker.ofThisThread == nil { Fork.formerWorkerHasEnded() }
      // order: relaxed; what it decides happens under the lock.
      if worker.pointee.notes.load(ordering: .relaxed) != 0 { attend(worker) }
      if worker.pointee.batch.keepsRole { lookAround(worker) }
    }
    end(worker)
  }

  private func begin(_ worker: WorkerPointer) {
    let storage = csb_thread_self()
    storage.pointee.worker = UnsafeMutableRawPointer(worker)
    lock.lock()
    worker.pointee.kernelID = csb_thread_kernel_id()
    worker.pointee.thread = csb_thread_number()
    unlock()
    csb_thread_set_name(worker.ownName)
    if tier != .normal { lowerPriority() }
    csb_overflow_begin(0)
    ThreadEnd.arrange()
    Probe.worker(.workerStarted, worker)
  }

  private func end(_ worker: WorkerPointer) {
    let storage = csb_thread_self()
    Probe.worker(.workerEnded, worker)
    storage.pointee.worker = nil
    worker.deinitialize(count: 1)
    worker.deallocate()
  }

  /// Does what was noted during a runnable, at its end.
  @inline(never)
  private func attend(_ worker: WorkerPointer) {
    lock.lock()
    // order: relaxed; written under the lock.
    let notes = worker.pointee.notes.exchange(0, ordering: .relaxed)
    if notes & WorkerNotes.countedOut != 0 { countIn(worker) }
    unlock()
    if notes & WorkerNotes.boosted != 0 { lowerPriority() }
  }

  /// Gives this thread the kernel priority of its tier.
  private func lowerPriority() {
    // Lowering is always allowed. If a sandbox refuses it, the class only determines the
    // order in which items start.
    _ = csb_thread_set_nice(0, ProcessPriority.nice + tier.niceness)
  }

  /// Takes the runnable in the worker's own slot, or else the spare one.
  func takeOwn(_ worker: WorkerPointer) -> ItemPointer? {
    guard worker.hasFilledSlot else {
      worker.pointee.slotRun = 0
      return takeSpare(worker)
    }
    // order: relaxed; may be out of date, the decision is made under the lock.
    if slotHint.load(ordering: .relaxed) & SlotHint.surplus != 0 {
      giveAway(worker)
      return nil
    }
    if worker.pointee.slotRun >= Pool.slotRunLimit && hasPending {
      worker.pointee.slotRun = 0
      return takeFairly(worker)
    }
    let run = worker.pointee.slotRun
    worker.pointee.slotRun = run + 1
    // order: acquiring, W1
    return worker.pointee.slot.exchange(nil, ordering: .acquiring)
  }

  private func takeSpare(_ worker: WorkerPointer) -> ItemPointer? {
    // order: relaxed; only this worker fills it, and if the spinning worker has taken it in the
    // meantime, the exchange below returns nil.
    guard worker.pointee.spare.load(ordering: .relaxed) != nil else { return nil }
    // order: relaxed; may be out of date, the decision is made under the lock.
    if hasPending || slotHint.load(ordering: .relaxed) & SlotHint.surplus != 0 {
      giveAway(worker)
      return nil
    }
    // order: acquiring, W1
    return worker.pointee.spare.exchange(nil, ordering: .acquiring)
  }

  /// Moves what the worker keeps for itself to the lines.
  func giveAway(_ worker: WorkerPointer) {
    lock.lock()
    appendOwn(of: worker)
    let call = callForWork()
    unlock()
    place(call)
  }

  /// Does the same; the caller holds the lock.
  func appendOwn(of worker: WorkerPointer) {
    // order: acquiring, W1
    if let item = worker.pointee.slot.exchange(nil, ordering: .acquiring) {
      append(item, at: item.urgencyOfRunnable)
    }
    // order: acquiring, W1
    if let item = worker.pointee.spare.exchange(nil, ordering: .acquiring) {
      append(item, at: item.urgencyOfRunnable)
    }
  }
}

extension WorkerPointer {
  /// Whether this worker's kernel priority is lower than that of the process.
  @inlinable @inline(__always)
  package var isLow: Bool { pointee.tier != .normal }

  /// Its name in the kernel's list, unless it has a queue's.
  package var ownName: String { "sb-\(pointee.tier.name)-\(pointee.number)" }

  /// Whether this worker's slot is filled. Only its own thread calls this.
  @inlinable @inline(__always)
  package var hasFilledSlot: Bool {
    // order: relaxed; only this worker fills it, and a worker that takes it exchanges.
    pointee.slot.load(ordering: .relaxed) != nil
  }

  /// Records the invitation that the worker takes.
  func noteQueue(of item: ItemPointer) {
    let isOfQueue = item.pointee.flags.contains(.ofQueue)
    // order: relaxed; compared only.
    pointee.serves.store(isOfQueue ? item : nil, ordering: .relaxed)
  }

  /// Records that the worker begins what the pool gave it. Only its own thread calls
  /// this.
  func noteBeginning(at now: UInt64) {
    // order: relaxed; the monitor may see an old value, and looks again.
    pointee.beganAt.store(now, ordering: .relaxed)
    // order: relaxed; only this thread writes it.
    let progress = pointee.progress.load(ordering: .relaxed)
    // order: relaxed; only this thread writes it.
    let takes = pointee.takes.load(ordering: .relaxed) &+ 1
    // order: relaxed; the monitor may see an old value, and looks again.
    pointee.beganAs.store(takes &+ progress, ordering: .relaxed)
  }

  /// Whether the worker keeps what it delivers. Only its own thread calls this.
  var isKeeping: Bool { pointee.isDelivering && pointee.batch.keepsRole }

  /// Counts an item of a concurrent queue. Only its own thread calls this.
  @inlinable @inline(__always)
  package func noteProgress() {
    // order: relaxed; the spinning worker only compares two readings.
    let progress = pointee.progress.load(ordering: .relaxed)
    // order: relaxed; see above.
    pointee.progress.store(progress &+ 1, ordering: .relaxed)
  }
}
