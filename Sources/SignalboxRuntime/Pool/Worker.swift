// Worker — a thread of the pool: what it carries, and what it does all day.
//
// Touching    `slot`, `spare`: their worker puts and takes, others take.
//             `word`: the worker and whoever wakes it. `serves`, `takes`,
//             `progress`, `urgency`, `beganAt`, `beganAs`: written by the worker, read by the
//             lookout and the watcher. `notes`: written under the pool's lock, read by the worker.
//             The rest: under the pool's lock.
// Ordering    W1  a submitter's exchange of `slot` or `spare` → the taker's
//                 exchange: the item's contents are seen.
//             W2  a waker's releasing store of `word` → the worker's acquiring
//                 load after its sleep.

import CSignalbox
public import Synchronization

@usableFromInline
package typealias WorkerPointer = UnsafeMutablePointer<Worker>

@usableFromInline
package struct Worker: ~Copyable {
  /// The runnable that this worker will take next, unless the lookout finds
  /// that it waits too long.
  @usableFromInline let slot = Atomic<ItemPointer?>(nil)
  /// The invitation of the concurrent queue that this worker serves, for
  /// another worker to come and help. It is left alone while the items are so
  /// short that two would only be in each other's way.
  let spare = Atomic<ItemPointer?>(nil)
  /// How many items of concurrent queues this worker has run.
  @usableFromInline let progress = Atomic<UInt64>(0)
  /// How urgent what it runs is, or what it ran last.
  let urgency = Atomic<UInt8>(0)
  /// The invitation of the queue that it serves, or served last; nil where it runs something
  /// else. To others an address, to be compared only.
  let serves = Atomic<ItemPointer?>(nil)
  /// How often this worker took something.
  let takes = Atomic<UInt64>(0)
  /// When it last took something from the pool rather than from its own places, on the uptime
  /// clock, and what `takes` and `progress` add up to until it takes or runs anything else.
  let beganAt = Atomic<UInt64>(0)
  let beganAs = Atomic<UInt64>(0)
  /// Asleep or not; see `WorkerWord`.
  let word = Atomic<UInt32>(WorkerWord.awake)
  /// What it must see to at the end of its runnable; see `WorkerNotes`.
  let notes = Atomic<UInt32>(0)

  /// Takes from `slot` in a row, so that two queues that call each other do
  /// not starve the rest. Its worker only.
  var slotRun: UInt32 = 0
  /// Whether it hands out what it found as the poller. Its worker only.
  var isDelivering = false
  /// Whether it stays awake where nothing is to be done. Its worker only.
  var patience = AdaptiveSpin()
  /// What it found as the poller. Its worker only.
  var batch = Batch()

  // Under the pool's lock:
  var nextIdle: WorkerPointer?
  var links = ListLinks<WorkerPointer>()
  /// `takes` and `progress` when the lookout last came by, and when that was.
  var takesSeen: UInt64 = 0
  var progressSeen: UInt64 = 0
  var seenAt: UInt64 = 0
  /// Whether what stands in `slot` or `spare` is to be taken by another.
  var needsHelp = false
  /// What the worker is to do when it wakes.
  var errand: Errand = .work
  /// Whether it is one of those that `running` counts.
  var isCounted = false
  /// The band for whose starving runnable it was given a place beyond the width, until that
  /// ends.
  var rescues: Band?
  var watch = Pool.Watch()
  /// 0 before its thread runs.
  var kernelID: Int32 = 0
  var thread: UInt32 = 0
  let number: UInt32
  @usableFromInline package let tier: Tier
  /// SAFETY: unretained; a pool lives as long as the process.
  package let pool: Unmanaged<Pool>

  enum Errand { case work, poll, deputize, watch }

  init(number: UInt32, pool: Pool) {
    self.number = number
    tier = pool.tier
    // SAFETY: a pool lives as long as the process.
    self.pool = Unmanaged.passUnretained(pool)
  }

  /// The address of a worker's word, to be woken by. It is a key to the kernel:
  /// the worker may be gone when it is used.
  static func wordAddress(of worker: WorkerPointer) -> UnsafeRawPointer {
    SignalboxRuntime.wordAddress(worker.pointee.word)
  }

  /// This thread's worker, if it is one.
  package static var ofThisThread: WorkerPointer? {
    // SAFETY: set by the worker's own thread to its own record.
    csb_thread_self().pointee.worker?.assumingMemoryBound(to: Worker.self)
  }
}

/// The workers of a pool.
enum AllWorkers: ListLinkage {
  static func links(of worker: WorkerPointer) -> ListLinks<WorkerPointer>.Pointer {
    withUnsafeMutablePointer(to: &worker.pointee.links) { $0 }
  }
}

/// The values of a worker's word.
enum WorkerWord {
  static let awake: UInt32 = 0
  static let asleep: UInt32 = 1
}

/// What a worker must see to at the end of its runnable.
enum WorkerNotes {
  /// It was found blocked outside the doors, and is not counted as running.
  static let countedOut: UInt32 = 1
  /// Its kernel priority was raised for the sake of one who waits for it.
  static let boosted: UInt32 = 2
}

extension Pool {
  /// The body of a worker's thread.
  func run(_ worker: WorkerPointer) {
    begin(worker)
    while let item = takeOwn(worker) ?? next(worker) {
      // order: relaxed; the lookout only compares two readings.
      let takes = worker.pointee.takes.load(ordering: .relaxed)
      worker.pointee.takes.store(takes &+ 1, ordering: .relaxed)  // order: relaxed; as above.
      worker.noteQueue(of: item)
      // order: relaxed; a hint for those who count what runs, under the lock.
      worker.pointee.urgency.store(item.urgencyOfRunnable.rawValue, ordering: .relaxed)
      item.pointee.function(UnsafeMutableRawPointer(item))
      // The item forked, and this is the child: the pool is the parent's.
      if Worker.ofThisThread == nil { csb_fork_former_worker_has_ended() }
      // order: relaxed; acted upon under the lock.
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

  /// The end of a runnable, during which something was noted.
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
    // Lowering is always allowed. A sandbox that refuses it leaves the order of
    // start as the only effect of the class.
    _ = csb_thread_set_nice(0, ProcessPriority.nice + tier.niceness)
  }

  /// The runnable in the worker's own slot, or else the spare one.
  func takeOwn(_ worker: WorkerPointer) -> ItemPointer? {
    guard worker.hasFilledSlot else {
      worker.pointee.slotRun = 0
      return takeSpare(worker)
    }
    // order: relaxed; a hint, acted upon under the lock.
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
    // order: relaxed; only this worker puts, and if the lookout took it
    // meanwhile, the exchange below gives nil.
    guard worker.pointee.spare.load(ordering: .relaxed) != nil else { return nil }
    // order: relaxed; a hint, acted upon under the lock.
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

  /// Under the lock: the same.
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
  /// Whether this worker's kernel priority is lower than the process's.
  @inlinable @inline(__always)
  package var isLow: Bool { pointee.tier != .normal }

  /// Its name in the kernel's list, as long as it has none of a queue's.
  package var ownName: String { "sb-\(pointee.tier.name)-\(pointee.number)" }

  /// Whether something stands in this worker's slot. For its own thread.
  @inlinable @inline(__always)
  package var hasFilledSlot: Bool {
    // order: relaxed; only this worker puts, and whoever takes exchanges.
    pointee.slot.load(ordering: .relaxed) != nil
  }

  /// Notes whose invitation it takes.
  func noteQueue(of item: ItemPointer) {
    let isOfQueue = item.pointee.flags.contains(.ofQueue)
    // order: relaxed; compared only.
    pointee.serves.store(isOfQueue ? item : nil, ordering: .relaxed)
  }

  /// Notes that it begins what the pool gave it. For its own thread.
  func noteBeginning(at now: UInt64) {
    pointee.beganAt.store(now, ordering: .relaxed)  // order: relaxed; a hint for the watcher.
    // order: relaxed; its own.
    let progress = pointee.progress.load(ordering: .relaxed)
    // order: relaxed; its own.
    let takes = pointee.takes.load(ordering: .relaxed) &+ 1
    // order: relaxed; a hint for the watcher.
    pointee.beganAs.store(takes &+ progress, ordering: .relaxed)
  }

  /// Whether what it delivers is its own to run. For its own thread.
  var isKeeping: Bool { pointee.isDelivering && pointee.batch.keepsRole }

  /// Counts an item of a concurrent queue. For its own thread.
  @inlinable @inline(__always)
  package func noteProgress() {
    // order: relaxed; the lookout only compares two readings.
    let progress = pointee.progress.load(ordering: .relaxed)
    // order: relaxed; as above.
    pointee.progress.store(progress &+ 1, ordering: .relaxed)
  }
}
