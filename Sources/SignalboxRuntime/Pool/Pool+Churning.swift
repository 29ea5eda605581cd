// Pool+Churning — detects items that keep their processors without computing: they make one system
// call after another and hardly sleep.
//
// If an item lowers the timer slack of its thread, `usleep` of a microsecond ends before the
// kernel has put the thread to sleep. A spinning lock yields the processor and gets it
// back at once. By the processor clock, such an item computes, but nearly all of its time is
// the kernel's. If that is true of every item with a permit, they most likely wait for
// something that has no permit. The monitor then runs the next runnable itself, one at a
// time.
//
// Touching    `churns`, `watch` of every worker: under the lock.
// Rejected    judging a single worker: a worker that reads cached files also spends its time in the
//             kernel, and one more thread gains nothing.

import CSignalbox

extension Pool {
  /// The time between two scans for churning, in nanoseconds. The kernel counts in steps of
  /// ten milliseconds.
  static let churnTick: UInt64 = 40_000_000
  /// How many workers to examine for each permit. If that many churn, one more does not
  /// help.
  private static let churners = 16

  /// The kernel's count of a worker's time, during one runnable.
  struct Ticks {
    var takes = UInt64.max
    var user: UInt64 = 0
    var system: UInt64 = 0
    /// Whether the kernel used nearly all of the time, as far as is known.
    var churns = false

    /// How many steps of the kernel's count a judgement needs.
    private static let enough: UInt64 = 3

    /// Takes a later reading. If the worker has used enough time since the first reading, judges
    /// it. Otherwise waits for the next reading.
    mutating func follow(_ new: Ticks) {
      guard takes == new.takes else { return self = new }
      let own = new.user &- user
      let kernels = new.system &- system
      guard own &+ kernels >= Ticks.enough else { return }
      self = new
      churns = kernels >= own * 4
    }
  }

  /// Finds out whether all workers with permits churn while the run queue contains runnables.
  /// Call it outside the lock.
  func lookForChurning() {
    lock.lock()
    let isWanted = !shared.pointee.runQueue.isEmpty && shared.pointee.running >= permits
    var looked: [(kernelID: Int32, ticks: Ticks)] = []
    unlock()
    guard isWanted else { return }
    // Allocate outside the lock.
    looked.reserveCapacity(width * Pool.churners)
    lock.lock()
    var fits = true
    forEachWithPermit { worker in
      fits = fits && looked.count < looked.capacity
      guard fits else { return }
      let takes = worker.pointee.takes.load()
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
    forEachWithPermit { worker in
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

  /// Calls `body` with each worker that runs something or is about to. The caller holds
  /// the lock.
  func forEachWithPermit(_ body: (WorkerPointer) -> Void) {
    shared.pointee.all.forEach { worker in
      if worker.pointee.isCounted && worker != shared.pointee.spinner { body(worker) }
    }
  }
}
