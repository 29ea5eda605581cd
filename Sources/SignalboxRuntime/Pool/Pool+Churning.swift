// Pool+Churning — items that keep their processors without computing: they ask the kernel for
// something again and again, and mostly without sleeping.
//
// Where an item lowers the timer slack of its thread, `usleep` of a microsecond ends before the
// kernel has put the thread to sleep; a lock that spins gives the processor away and has it back
// at once. To the processor clock such an item computes. But nearly all of its time is the
// kernel's. If that is true of every item that has a place, they most likely wait for something
// that has no place, and the watcher runs the next runnable itself, one at a time.
//
// Touching    `churns`, `watch` of every worker: under the lock.
// Rejected    judging a single worker: one that reads files from memory is the kernel's, too,
//             and gains nothing by a thread more.

import CSignalbox

extension Pool {
  /// Time between two of these looks, in nanoseconds: the kernel counts in steps of ten
  /// milliseconds.
  static let churnTick: UInt64 = 40_000_000
  /// So many workers for each place are looked at: where that many churn, one more is no help.
  private static let churners = 16

  /// A worker's time as the kernel counts it, during one runnable.
  struct Ticks {
    var takes = UInt64.max
    var user: UInt64 = 0
    var system: UInt64 = 0
    /// Whether nearly all of the time was the kernel's, as far as is known.
    var churns = false

    /// Steps of the kernel's count that it takes to judge.
    private static let enough: UInt64 = 3

    /// A later reading: judged where enough time was used since, else left for the next.
    mutating func follow(_ new: Ticks) {
      guard takes == new.takes else { return self = new }
      let own = new.user &- user
      let kernels = new.system &- system
      guard own &+ kernels >= Ticks.enough else { return }
      self = new
      churns = kernels >= own * 4
    }
  }

  /// Whether all that have places churn while runnables stand in the lines. Outside the lock.
  func lookForChurning() {
    lock.lock()
    let isWanted = !shared.pointee.lines.isEmpty && shared.pointee.running >= places
    var looked: [(kernelID: Int32, ticks: Ticks)] = []
    unlock()
    guard isWanted else { return }
    // Outside the lock.
    looked.reserveCapacity(width * Pool.churners)
    lock.lock()
    var fits = true
    forEachWithPlace { worker in
      fits = fits && looked.count < looked.capacity
      guard fits else { return }
      // order: relaxed; compared with the last reading only.
      let takes = worker.pointee.takes.load(ordering: .relaxed)
      looked.append((worker.pointee.kernelID, Ticks(takes: takes)))
    }
    unlock()
    guard fits else { return }
    for index in looked.indices {
      var ticks = looked[index].ticks
      let error = csb_thread_ticks(looked[index].kernelID, &ticks.user, &ticks.system)
      if error == 0 { looked[index].ticks = ticks } else { looked[index].ticks.takes = .max }
    }
    lock.lock()
    var all = !looked.isEmpty
    forEachWithPlace { worker in
      guard let new = looked.first(where: { $0.kernelID == worker.pointee.kernelID })?.ticks else {
        return all = false
      }
      var ticks = worker.pointee.watch.ticks
      ticks.follow(new)
      worker.pointee.watch.ticks = ticks
      if !ticks.churns { all = false }
    }
    shared.pointee.churns = all
    unlock()
  }

  /// Under the lock: those that run something, or are about to.
  func forEachWithPlace(_ body: (WorkerPointer) -> Void) {
    shared.pointee.all.forEach { worker in
      if worker.pointee.isCounted && worker != shared.pointee.lookout { body(worker) }
    }
  }
}
