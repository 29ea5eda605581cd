// Worker — a thread of the pool: what it carries, and what it does all day.
//
// Touching    `slot`: its worker puts and takes, the lookout takes. `word`: the
//             worker and whoever wakes it. `takes`: written by the worker, read
//             by the lookout. The rest: under the pool's lock.
// Ordering    W1  a submitter's exchange of `slot` → the taker's exchange: the
//                 item's contents are seen.
//             W2  a waker's releasing store of `word` → the worker's acquiring
//                 load after its sleep.

import CSignalbox
import Synchronization

package typealias WorkerPointer = UnsafeMutablePointer<Worker>

package struct Worker: ~Copyable {
  /// The runnable that this worker will take next, unless the lookout finds
  /// that it waits too long.
  let slot = Atomic<ItemPointer?>(nil)
  /// How often this worker took something.
  let takes = Atomic<UInt64>(0)
  /// Asleep or not; see `WorkerWord`.
  let word = Atomic<UInt32>(WorkerWord.awake)

  /// Takes from `slot` in a row, so that two queues that call each other do
  /// not starve the rest. Its worker only.
  var slotRun: UInt32 = 0

  // Under the pool's lock:
  var nextIdle: WorkerPointer?
  var nextOfAll: WorkerPointer?
  var previousOfAll: WorkerPointer?
  /// `takes` when the lookout last came by.
  var takesSeen: UInt64 = 0
  /// What the worker is to do when it wakes.
  var errand: Errand = .work
  let number: UInt32
  /// SAFETY: unretained; a pool lives as long as the process.
  let pool: Unmanaged<Pool>

  enum Errand { case work, keepTime }

  init(number: UInt32, pool: Pool) {
    self.number = number
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

/// The values of a worker's word.
enum WorkerWord {
  static let awake: UInt32 = 0
  static let asleep: UInt32 = 1
}

extension Pool {
  /// The body of a worker's thread.
  func run(_ worker: WorkerPointer) {
    let storage = csb_thread_self()
    storage.pointee.worker = UnsafeMutableRawPointer(worker)
    csb_thread_set_name("sb-worker-\(worker.pointee.number)")
    csb_thread_tighten_timers()
    ThreadEnd.arrange()
    Probe.worker(.workerStarted, worker)
    while let item = takeOwn(worker) ?? next(worker) {
      // order: relaxed; the lookout only compares two readings.
      let takes = worker.pointee.takes.load(ordering: .relaxed)
      worker.pointee.takes.store(takes &+ 1, ordering: .relaxed)  // order: relaxed; as above.
      item.pointee.function(UnsafeMutableRawPointer(item))
    }
    Probe.worker(.workerEnded, worker)
    storage.pointee.worker = nil
    worker.deinitialize(count: 1)
    worker.deallocate()
  }

  /// The runnable in the worker's own slot.
  func takeOwn(_ worker: WorkerPointer) -> ItemPointer? {
    // order: relaxed; only this worker puts, and if the lookout took it
    // meanwhile, the exchange below gives nil.
    guard worker.pointee.slot.load(ordering: .relaxed) != nil else {
      worker.pointee.slotRun = 0
      return nil
    }
    // order: relaxed; a hint, acted upon under the lock.
    if slotHint.load(ordering: .relaxed) == SlotHint.surplus {
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

  /// Moves what is in the worker's slot to the lines.
  func giveAway(_ worker: WorkerPointer) {
    // order: acquiring, W1
    if let item = worker.pointee.slot.exchange(nil, ordering: .acquiring) {
      submitShared(item, band: .standard)
    }
  }
}
