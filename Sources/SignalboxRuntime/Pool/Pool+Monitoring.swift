// Pool+Monitoring — the worker that finds others that block outside the doors: in a
// `read`, a `sleep`, a mutex of another library.
//
// There is a monitor only while runnables are in the lines or in a slot and every place is
// taken, or no more workers may be started. It looks every few milliseconds. It counts a
// worker out, so that another takes the place, if the worker has taken nothing since the last
// look, was off the processor for most of that time, and is asleep according to the kernel.
// This finds a worker that sleeps briefly and often as well as one that sleeps for long. The
// monitor counts the worker in again when it takes something, computes for most of the time,
// or is awake at two looks in a row. The worker may then be one too many until its item ends.
//
// Touching    `watch` of every worker: under the lock. `notes`: see `Worker`.
// Rejected    the processor clock alone: on a loaded machine half the looks at
//             threads that are ready to run show no progress in 2 ms.
//             The number of voluntary switches in `/proc`: reading it takes 15 µs, the state
//             8, and one of the next looks finds a sleeper asleep anyway.
//             Items with the small timer slack of the pool: `usleep(1)` then makes no switch
//             at all, and only the kernel's share of the time distinguishes it from computing.

import CSignalbox
import Synchronization

extension Pool {
  /// The time between two looks, in nanoseconds: right after a look found something, a while after
  /// that, and when no look has found anything.
  private static let quickTick: UInt64 = 1_000_000
  private static let alertTick: UInt64 = 3_000_000
  private static let calmTick: UInt64 = 8_000_000
  /// How many looks without a finding before the monitor slows down, and before it slows
  /// down again.
  private static let quickLooks = 6
  private static let alertLooks = 20
  /// A look costs a few microseconds for each worker that it examines closely. The time
  /// between two looks is at least this many times as long as the last one took.
  private static let lookShare: UInt64 = 20
  /// The same after a recent finding, when other workers may wait for the next look.
  private static let quickLookShare: UInt64 = 8
  /// The upper limit of that time: a look that took long may only have lost its
  /// processor.
  private static let longestTick: UInt64 = 2 * calmTick
  /// How many looks in a row must find nothing pending before the monitor leaves. It
  /// stays for some ticks, so that work that comes in bursts calls it once.
  private static let idleLooks = 12
  /// How many workers beyond the width one look has room for: those that returned from a
  /// wait and are one too many.
  private static let surplus = 64

  /// What the monitor knows about a worker from its last look.
  struct Watch {
    var takes = UInt64.max
    var progress = UInt64.max
    var processorTime: UInt64 = 0
    /// The time of the look, on the uptime clock.
    var time: UInt64 = 0
    /// When the monitor first saw these values of `takes` and `progress`.
    var since: UInt64 = 0
    /// Whether to ask the kernel for its state.
    var isSuspect = false
    /// Whether the worker is counted out and was awake at the last look.
    var wasAwake = false
    var ticks = Pool.Ticks()
  }

  /// Calls a monitor to find out whether a worker that has a place sleeps. Call it if
  /// every place is taken, or if no more workers may be started. The caller holds the lock.
  func callMonitor() -> Call {
    if shared.pointee.isWatched { return callForPressing() }
    guard workRemains() else { return .nobody }
    setWatched(true)
    if let worker = takeIdle(for: .watch) { return .wake(worker, worker.pointee.thread) }
    return .start(.watch)
  }

  /// Watches as long as there is something to watch for. The caller holds the lock; this
  /// releases it and takes it again.
  ///
  /// - Returns: a runnable that the monitor must run itself, because it presses or
  ///   starves.
  func watch(_ monitor: WorkerPointer) -> ItemPointer? {
    var idle = 0
    var calm = 0
    var hasFound = false
    var suspects: [Int32] = []
    swap(&suspects, &shared.pointee.suspects)
    defer { swap(&suspects, &shared.pointee.suspects) }
    var now = Clock.uptime.now
    var nextLook = now
    // Most monitors have left before that.
    var nextChurnLook = now + Pool.churnTick
    shared.pointee.churns = false
    var isCalled = pressing(upon: monitor) != nil
    while true {
      let wakeTime = min(nextLook, starvingTime(now: now) ?? nextLook)
      if isCalled || sleepWatching(monitor, until: wakeTime) {
        isCalled = false
        if let item = takeOver(monitor) { return item }
      }
      now = Clock.uptime.now
      if let item = rescue(monitor, now: now) { return item }
      if now < nextLook { continue }
      unlock()
      suspects.removeAll(keepingCapacity: true)
      // Allocate outside the lock.
      suspects.reserveCapacity(width + Pool.surplus)
      let found = lookForBlocked(&suspects, foundLately: calm < Pool.quickLooks && hasFound)
      hasFound = hasFound || found
      if now >= nextChurnLook {
        nextChurnLook = now + Pool.churnTick
        lookForChurning()
      }
      lock.lock()
      // A runnable from a slot may be in the lines by now.
      isCalled = pressing(upon: monitor) != nil
      calm = found ? 0 : calm + 1
      idle = workRemains() ? 0 : idle + 1
      if idle == Pool.idleLooks {
        // Change the hint, then look at the slots once more (PL1).
        setWatched(false)
        guard workRemains() else { break }
        setWatched(true)
        idle = 0
      }
      let end = Clock.uptime.now
      let share = calm < Pool.quickLooks && hasFound ? Pool.quickLookShare : Pool.lookShare
      let rest = min(share * (end - now), Pool.longestTick)
      nextLook = end + max(Pool.tick(afterLooks: calm), rest)
      now = end
    }
    countIn(monitor)
    return nil
  }

  /// The time to the next look after `calm` looks without a finding.
  private static func tick(afterLooks calm: Int) -> UInt64 {
    calm < quickLooks ? quickTick : calm < alertLooks ? alertTick : calmTick
  }

  /// The monitor sleeps until `time`. The caller holds the lock; this releases it and
  /// takes it again.
  ///
  /// - Returns: whether the monitor was called because something presses.
  func sleepWatching(_ monitor: WorkerPointer, until time: UInt64) -> Bool {
    shared.pointee.sleepingMonitor = monitor
    sleepUncalled(monitor, until: time)
    let isCalled = shared.pointee.sleepingMonitor == nil
    shared.pointee.sleepingMonitor = nil
    return isCalled
  }

  /// The caller holds the lock; this releases it and takes it again.
  func sleepUncalled(_ monitor: WorkerPointer, until time: UInt64) {
    // order: relaxed; written under the lock, like every change of the word.
    monitor.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
    unlock()
    csb_thread_tighten_timers()
    _ = FutexSleeper.sleep(
      while: wordAddress(monitor.pointee.word), is: WorkerWord.asleep,
      until: Deadline(.uptime, time))
    lock.lock()
    monitor.pointee.word.store(WorkerWord.awake, ordering: .relaxed)  // order: relaxed; see above.
  }

  /// The caller holds the lock.
  func setWatched(_ isWatched: Bool) {
    shared.pointee.isWatched = isWatched
    updateSlotHint()
  }

  /// Makes one look. `suspects` is empty and has room for the findings.
  ///
  /// - Parameter foundLately: whether a recent look found something. Then workers that
  ///   began an item since are likely to block too, and one look is enough for them.
  /// - Returns: whether any worker was counted in or out.
  private func lookForBlocked(_ suspects: inout [Int32], foundLately: Bool) -> Bool {
    lock.lock()
    var moved = recall(&suspects)
    gather(&suspects, foundLately: foundLately)
    unlock()
    // The sleeping ones come first.
    let asleep = suspects.partition { !Pool.isAsleep(csb_thread_state($0)) }
    lock.lock()
    for kernelID in suspects[..<asleep] where countOutSuspect(kernelID) { moved = true }
    for kernelID in suspects[asleep...] where recallAwake(kernelID) { moved = true }
    // Check this even if the look found nothing, because a tier above may have freed a
    // place.
    let call = shared.pointee.running < places && workRemains() ? callForWork() : .nobody
    unlock()
    place(call)
    return moved
  }

  private static func isAsleep(_ state: CChar) -> Bool {
    // Unknown: a process that may open no descriptor cannot ask. A wrong guess costs one
    // extra worker until the item ends.
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

  /// Collects the kernel's ids of the workers that have taken nothing since the last
  /// look, have a place, and were off the processor for most of the time. The items that such a
  /// worker keeps for itself go to the lines. There, any worker takes them, and they count if they
  /// press. The caller holds the lock.
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

  /// What a worker did since the last look.
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

  /// What the worker did since the last look. The caller holds the lock.
  private func movement(of worker: WorkerPointer) -> Movement {
    let old = worker.pointee.watch
    // order: relaxed; compared with the last reading only.
    worker.pointee.watch.takes = worker.pointee.takes.load(ordering: .relaxed)
    // order: relaxed; see above.
    worker.pointee.watch.progress = worker.pointee.progress.load(ordering: .relaxed)
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
    return used > (new.time - old.time) / 2 ? .computes : .rests
  }

  /// Counts in the worker with this kernel id, if it was counted out and is awake for the
  /// second look in a row. On a busy machine a worker that computes may have less than
  /// half of a processor. The caller holds the lock.
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

  /// Counts out the worker with this kernel id, if it is still a suspect. The caller
  /// holds the lock.
  private func countOutSuspect(_ kernelID: Int32) -> Bool {
    var done = false
    shared.pointee.all.forEach { worker in
      guard worker.pointee.kernelID == kernelID, worker.pointee.watch.isSuspect else { return }
      worker.pointee.watch.wasAwake = false
      guard worker.pointee.isCounted, worker != shared.pointee.spinner else { return }
      appendOwn(of: worker)
      // order: relaxed; read under the lock.
      worker.pointee.notes.bitwiseOr(WorkerNotes.countedOut, ordering: .relaxed)
      countOut(worker)
      done = true
    }
    return done
  }

  /// Counts the worker in again. The caller holds the lock.
  func takeBackCountingOut(_ worker: WorkerPointer) {
    // order: relaxed; written under the lock.
    worker.pointee.notes.bitwiseAnd(~WorkerNotes.countedOut, ordering: .relaxed)
    countIn(worker)
  }
}

extension WorkerPointer {
  /// Whether the monitor counted the worker out and it has not moved since. The caller
  /// holds the lock.
  var isCountedOut: Bool {
    // order: relaxed; written under the lock.
    pointee.notes.load(ordering: .relaxed) & WorkerNotes.countedOut != 0
  }
}
