// Worker — a thread of the pool: its state, and its main loop.
//
// Touching    `slot`, `helperSlot`: their worker fills and takes, others take.
//             `word`: the worker and the thread that wakes it. `drains`, `takes`,
//             `progress`, `urgency`, `beganAt`, `beganAs`: written by the worker, read by
//             the spinning worker and the monitor. `notes`: written under the pool's lock, read by
//             the worker. The rest: under the pool's lock.
// Ordering    W1  a submitter's exchange of `slot` or `helperSlot` → the taker's
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
  /// The drain task of the concurrent queue that this worker drains, for another worker
  /// that helps. The spinning worker leaves it alone while the items are so short that two
  /// workers would only obstruct each other.
  let helperSlot = Atomic<ItemPointer?>(nil)
  /// How many items of concurrent queues this worker has run. The worker writes it; others only
  /// compare readings.
  @usableFromInline let progress = SingleWriter<UInt64>(0)
  /// The urgency of what the worker runs, or ran last. The worker writes it. If another thread
  /// reads the urgency of the previous runnable, the cost is an extra worker or an extra check.
  let urgency = SingleWriter<UInt8>(0)
  /// The drain task of the queue that the worker drains, or drained last; nil if it runs
  /// something else. The worker writes it; other threads only compare the address, and check again.
  let drains = SingleWriter<ItemPointer?>(nil)
  /// How many runnables this worker has taken. The worker writes it; others only compare readings.
  let takes = SingleWriter<UInt64>(0)
  /// When, on the uptime clock, the worker last took something from the pool rather than from its
  /// slot or helper slot; and what `takes` plus `progress` is until it takes or runs anything else.
  /// The worker writes both; the monitor may read old values, and checks again.
  let beganAt = SingleWriter<UInt64>(0)
  let beganAs = SingleWriter<UInt64>(0)
  /// Whether the worker sleeps; see `WorkerWord`.
  let word = Atomic<UInt32>(WorkerWord.awake)
  /// What the worker must do at the end of its runnable; see `WorkerNotes`. Changes under the
  /// pool's lock; the worker reads it without the lock only to find out whether to take the lock.
  let notes = Relaxed<UInt32>(0)

  /// How many times in a row the worker took from `slot`. A limit keeps two queues that
  /// call each other from starving all other queues. Its worker only.
  var slotRun: UInt32 = 0
  /// Whether the worker delivers what it found as the poller. Its worker only.
  var isDelivering = false
  /// Decides whether the worker's next wait begins with a long spin. Its worker only.
  var adaptiveSpin = AdaptiveSpin()
  /// What the worker found as the poller. Its worker only.
  var batch = Batch()

  // Under the pool's lock:
  var nextIdle: WorkerPointer?
  /// The values of `takes` and `progress` at the spinning worker's last check, and the time
  /// of that check.
  var takesSeen: UInt64 = 0
  var progressSeen: UInt64 = 0
  var seenAt: UInt64 = 0
  /// Whether another worker should take what is in `slot` or `helperSlot`.
  var needsHelp = false
  /// Why the worker is woken: what it does next.
  var wakeReason: WakeReason = .work
  /// Whether `running` counts the worker.
  var isCounted = false
  /// The band of the starving runnable that the worker runs beyond the width; nil after
  /// the runnable has ended.
  var starvingBand: Band?
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

  /// The address of a worker's word, for waking it. For the kernel, the address is only a key:
  /// the worker may have ended by the time it is used.
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
  /// The monitor found it blocked outside `Parking`; it is not counted as running.
  static let countedOut: UInt32 = 1
  /// Its kernel priority was raised because a more urgent thread waits for it.
  static let boosted: UInt32 = 2
}

extension Pool {
  /// The body of a worker's thread.
  func run(_ worker: WorkerPointer) {
    begin(worker)
    while let item = takeOwn(worker) ?? next(worker) {
      worker.pointee.takes.increment()
      worker.noteQueue(of: item)
      worker.pointee.urgency.store(item.urgencyOfRunnable.rawValue)
      Item.call(item)
      // The item forked, and this is the child: the pool belongs to the parent.
      if Worker.ofThisThread == nil { Fork.formerWorkerHasEnded() }
      if worker.pointee.notes.load() != 0 { attend(worker) }
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
    // This lets readers in other processes find a worker that has never waited.
    _ = WaitRecord.ofThisThread
    if tier != .normal { lowerPriority() }
    csb_overflow_begin(0)
    ThreadEnd.arrange()
    Probe.workerBegan(worker)
  }

  private func end(_ worker: WorkerPointer) {
    Probe.workerEnded(worker)
    let storage = csb_thread_self()
    storage.pointee.worker = nil
    worker.deinitialize(count: 1)
    worker.deallocate()
  }

  /// At the end of a runnable, does what was noted while it ran.
  @inline(never)
  private func attend(_ worker: WorkerPointer) {
    lock.lock()
    let notes = worker.pointee.notes.exchange(0)
    if notes & WorkerNotes.countedOut != 0 {
      countIn(worker)
      shared.pointee.counts.counted_out -= 1
    }
    unlock()
    if notes & WorkerNotes.boosted != 0 { lowerPriority() }
  }

  /// Gives this thread the kernel priority of its tier.
  private func lowerPriority() {
    // Lowering is always allowed. If a sandbox refuses it, the class only determines the
    // order in which items start.
    _ = csb_thread_set_nice(0, ProcessPriority.nice + tier.niceness)
  }
}

extension WorkerPointer {
  /// Whether this worker's kernel priority is lower than that of the process.
  @inlinable @inline(__always)
  package var isLow: Bool { pointee.tier != .normal }

  /// Its name in the kernel's list, unless it is named after a queue.
  package var ownName: String { "sb-\(pointee.tier.name)-\(pointee.number)" }

  /// Whether this worker's slot is filled. Only its own thread calls this.
  @inlinable @inline(__always)
  package var hasFilledSlot: Bool {
    // order: relaxed; only this worker fills it, and a worker that takes it exchanges.
    pointee.slot.load(ordering: .relaxed) != nil
  }

  /// Records the drain task that the worker takes.
  func noteQueue(of item: ItemPointer) {
    let isOfQueue = item.pointee.flags.contains(.ofQueue)
    pointee.drains.store(isOfQueue ? item : nil)
  }

  /// Records that the worker begins what the pool gave it. Only its own thread calls
  /// this.
  func noteBeginning(at now: UInt64) {
    pointee.beganAt.store(now)
    pointee.beganAs.store(pointee.takes.load() &+ 1 &+ pointee.progress.load())
  }

  /// Whether the worker keeps what it delivers. Only its own thread calls this.
  var isKeeping: Bool { pointee.isDelivering && pointee.batch.keepsRole }

  /// Counts an item of a concurrent queue. Only its own thread calls this.
  @inlinable @inline(__always)
  package func noteProgress() { pointee.progress.increment() }
}
