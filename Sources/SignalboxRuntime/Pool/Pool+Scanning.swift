// Pool+Scanning — how the monitor finds out whether a worker is blocked.
//
// The monitor *counts a worker out*, so that another worker takes its permit, if the worker has
// taken nothing since the last scan, was off the processor for most of that time, and is asleep
// according to the kernel. This finds a worker that sleeps briefly and often as well as one that
// sleeps for long. The monitor counts the worker in again when the worker takes something, computes
// for most of the time, or is awake at two scans in a row. Until the worker's item ends, one worker
// too many may then run.
//
// Touching    `watch` of every worker: under the lock. `notes`: see `Worker`.
// Rejected    the processor clock alone: on a loaded machine, half the checks of threads that are
//             ready to run show no progress in 2 ms. The number of voluntary switches in `/proc`:
//             reading it takes 15 µs (the state 8), and one of the next scans finds a sleeper
//             asleep anyway. Items with the small timer slack of the pool: `usleep(1)` then makes
//             no switch at all, and only the kernel's share of the time distinguishes it from
//             computing.

import CSignalbox

extension Pool {
  /// How many workers beyond the width one scan has room for: workers that have returned from a
  /// wait and exceed the permits.
  private static let surplus = 64

  /// What the monitor knows about a worker from its last scan.
  struct Watch {
    var takes = UInt64.max
    var progress = UInt64.max
    var processorTime: UInt64 = 0
    /// The time of the scan, on the uptime clock.
    var time: UInt64 = 0
    /// When the monitor first saw these values of `takes` and `progress`.
    var since: UInt64 = 0
    /// Whether to ask the kernel for the worker's state.
    var isSuspect = false
    /// Whether the worker is counted out and was awake at the last scan.
    var wasAwake = false
    var ticks = Pool.Ticks()
  }

  /// - Parameters:
  ///   - suspects: storage that each scan reuses.
  ///   - foundLately: whether a recent scan found something. Then workers that began an item since
  ///     are likely to block too, and one scan is enough for them.
  /// - Returns: whether any worker was counted in or out.
  func lookForBlocked(_ suspects: inout [Int32], foundLately: Bool) -> Bool {
    suspects.removeAll(keepingCapacity: true)
    // Allocate outside the lock.
    suspects.reserveCapacity(width + Pool.surplus)
    lock.lock()
    var moved = recall(&suspects)
    gather(&suspects, foundLately: foundLately)
    unlock()
    // The sleeping ones come first.
    let asleep = suspects.partition { !Pool.isAsleep(csb_thread_state($0)) }
    lock.lock()
    for kernelID in suspects[..<asleep] where countOutSuspect(kernelID) { moved = true }
    for kernelID in suspects[asleep...] where recallAwake(kernelID) { moved = true }
    // Check this even if the scan found nothing, because a tier above may have freed a
    // permit.
    let call = shared.pointee.running < permits && workRemains() ? callForWork() : .nobody
    unlock()
    carryOut(call)
    return moved
  }

  private static func isAsleep(_ state: CChar) -> Bool {
    // 0 is unknown: a process that can open no more descriptors cannot ask. Treat the worker as
    // asleep: a wrong guess costs one extra worker until the item ends.
    state == 0
      // Interruptible, uninterruptible, stopped by a signal or a debugger.
      || state == CChar(UInt8(ascii: "S")) || state == CChar(UInt8(ascii: "D"))
      || state == CChar(UInt8(ascii: "T")) || state == CChar(UInt8(ascii: "t"))
  }

  /// Counts in the workers that were counted out and have moved since. Those that may
  /// have moved, or mostly sleep, become suspects. The caller holds the lock.
  private func recall(_ suspects: inout [Int32]) -> Bool {
    var moved = false
    shared.pointee.all.forEach { worker in
      guard worker.isCountedOut else { return }
      let movement = movement(of: worker)
      worker.pointee.watch.isSuspect = movement == .rests
      switch movement {
      case .sleeps: worker.pointee.watch.wasAwake = false
      case .rests:
        if suspects.count < suspects.capacity { suspects.append(worker.pointee.kernelID) }
      case .computes, .begins, .takes:
        takeBackCountingOut(worker)
        moved = true
      }
    }
    return moved
  }

  /// Collects the kernel's ids of the workers that have taken nothing since the last scan, have a
  /// permit, and were off the processor for most of the time. The items that such a worker keeps
  /// for itself go to the run queue. There, any worker takes them, and they count if they
  /// overcommit. The caller holds the lock.
  private func gather(_ suspects: inout [Int32], foundLately: Bool) {
    shared.pointee.all.forEach { worker in
      guard worker.pointee.isCounted, worker != shared.pointee.spinner,
        worker.pointee.kernelID != 0
      else {
        if !worker.isCountedOut { worker.pointee.watch.isSuspect = false }
        return
      }
      let movement = movement(of: worker)
      if movement != .takes && movement != .begins { appendOwn(of: worker) }
      let isStill =
        movement == .sleeps || movement == .rests || (movement == .begins && foundLately)
      worker.pointee.watch.isSuspect = isStill
      if isStill && suspects.count < suspects.capacity { suspects.append(worker.pointee.kernelID) }
    }
  }

  /// What a worker did since the last scan.
  private enum Movement {
    /// It had no processor.
    case sleeps
    /// It had a processor for less than half of the time.
    case rests
    /// It had a processor for longer.
    case computes
    /// It took one runnable.
    case begins
    /// It took or ran more than one.
    case takes
  }

  /// What the worker did since the last scan. Records the state for the next call. The
  /// caller holds the lock.
  private func movement(of worker: WorkerPointer) -> Movement {
    let old = worker.pointee.watch
    worker.pointee.watch.takes = worker.pointee.takes.load()
    worker.pointee.watch.progress = worker.pointee.progress.load()
    worker.pointee.watch.processorTime = csb_thread_processor_time(worker.pointee.kernelID)
    worker.pointee.watch.time = Clock.uptime.now
    let new = worker.pointee.watch
    if old.progress != new.progress || old.takes != new.takes {
      worker.pointee.watch.since = new.time
    }
    if old.progress != new.progress { return .takes }
    if old.takes != new.takes { return new.takes == old.takes &+ 1 ? .begins : .takes }
    let used = new.processorTime &- old.processorTime
    if used == 0 { return .sleeps }
    return used > new.time.saturatingSubtract(old.time) / 2 ? .computes : .rests
  }

  /// Counts in the worker with this kernel id, if it was counted out and is awake for the
  /// second scan in a row: on a busy machine, a worker that computes may get less than half
  /// of a processor. The caller holds the lock.
  private func recallAwake(_ kernelID: Int32) -> Bool {
    var done = false
    shared.pointee.all.forEach { worker in
      guard worker.pointee.kernelID == kernelID, worker.pointee.watch.isSuspect,
        worker.isCountedOut
      else { return }
      if worker.pointee.watch.wasAwake {
        takeBackCountingOut(worker)
        done = true
      }
      worker.pointee.watch.wasAwake = !worker.pointee.watch.wasAwake
    }
    return done
  }

  /// Counts out the worker with this kernel id, if it is still a suspect and has neither taken a
  /// runnable nor ended an item of a concurrent queue since the scan. The kernel's state was read
  /// without the lock, so it may be that of what the worker ran before, while it computes by now.
  /// Nothing shows that for the items of a serial queue: then the next scan counts it in again. The
  /// caller holds the lock.
  private func countOutSuspect(_ kernelID: Int32) -> Bool {
    var done = false
    shared.pointee.all.forEach { worker in
      guard worker.pointee.kernelID == kernelID, worker.pointee.watch.isSuspect,
        worker.pointee.takes.load() == worker.pointee.watch.takes,
        worker.pointee.progress.load() == worker.pointee.watch.progress
      else { return }
      worker.pointee.watch.wasAwake = false
      guard worker.pointee.isCounted, worker != shared.pointee.spinner else { return }
      appendOwn(of: worker)
      worker.pointee.notes.set(WorkerNotes.countedOut)
      countOut(worker)
      shared.pointee.counts.counted_out += 1
      shared.pointee.counts.replaced += 1
      done = true
    }
    return done
  }

  /// Counts the worker in again. The caller holds the lock.
  func takeBackCountingOut(_ worker: WorkerPointer) {
    worker.pointee.notes.clear(WorkerNotes.countedOut)
    countIn(worker)
    shared.pointee.counts.counted_out -= 1
  }
}

extension WorkerPointer {
  /// Whether the monitor counted the worker out and it has not moved since. The caller
  /// holds the lock.
  var isCountedOut: Bool {
    pointee.notes.load() & WorkerNotes.countedOut != 0
  }
}
