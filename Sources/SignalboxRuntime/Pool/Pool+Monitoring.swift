// Pool+Monitoring — the monitor: the worker that finds workers that block outside `Parking`, in a
// `read`, a `sleep` or a mutex of another library.
//
// There is a monitor only while runnables wait in the run queue or in a slot and no worker can be
// called for them: every permit is taken, or no more workers may be started. It scans every few
// milliseconds (`Pool+Scanning`).

import CSignalbox
import Synchronization

extension Pool {
  /// The time between two scans, in nanoseconds: `quickTick` right after a scan found something,
  /// `alertTick` a while later, and `calmTick` when no scan has found anything for long.
  private static let quickTick: UInt64 = 1_000_000
  private static let alertTick: UInt64 = 3_000_000
  private static let calmTick: UInt64 = 8_000_000
  /// How many scans without a finding before the monitor slows down, and before it slows
  /// down again.
  private static let quickLooks = 6
  private static let alertLooks = 20
  /// A scan costs a few microseconds for each worker that it examines closely. The time
  /// between two scans is at least this many times as long as the last one took.
  private static let lookShare: UInt64 = 20
  /// The same after a recent finding, when other workers may wait for the next scan.
  private static let quickLookShare: UInt64 = 8
  /// The upper limit of that time: a scan that took long may only have lost its
  /// processor.
  private static let longestTick: UInt64 = 2 * calmTick
  /// How many scans in a row must find nothing pending before the monitor leaves. It
  /// stays for some ticks, so that work that comes in bursts calls it once.
  private static let idleLooks = 12

  /// Calls a monitor to find out whether a worker that has a permit sleeps. Call it if
  /// every permit is taken, or if no more workers may be started. The caller holds the lock.
  func callMonitor() -> Call {
    if shared.pointee.isWatched { return callForOvercommit() }
    guard workRemains() else { return .nobody }
    setWatched(true)
    if let worker = takeIdle(for: .watch) { return .wake(worker, worker.pointee.thread) }
    return .start(.watch)
  }

  /// Monitors the workers as long as that is necessary. The caller holds the lock; this releases it
  /// and takes it again.
  ///
  /// - Returns: a runnable that the monitor must run itself, because it overcommits or
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
    // Most monitors leave before they look for churning.
    var nextChurnLook = now + Pool.churnTick
    shared.pointee.churns = false
    var isCalled = overcommitting(for: monitor) != nil
    while true {
      let wakeTime = min(nextLook, starvingTime(now: now) ?? nextLook)
      if isCalled || sleepWatching(monitor, until: wakeTime) {
        isCalled = false
        if let item = takeOver(monitor) { return item }
      }
      now = Clock.uptime.now
      if let item = runStarving(monitor, now: now) { return item }
      if now < nextLook { continue }
      // Check this before the next scan, which would call for another thread again.
      if mustWork {
        setWatched(false)
        break
      }
      unlock()
      let found = lookForBlocked(&suspects, foundLately: calm < Pool.quickLooks && hasFound)
      hasFound = hasFound || found
      if now >= nextChurnLook {
        nextChurnLook = now + Pool.churnTick
        lookForChurning()
      }
      lock.lock()
      // A runnable from a slot may be in the run queue by now.
      isCalled = overcommitting(for: monitor) != nil
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
      let rest = min(share * end.saturatingSubtract(now), Pool.longestTick)
      nextLook = end + max(Pool.tick(afterLooks: calm), rest)
      now = end
    }
    // The monitor continues as an ordinary worker.
    countIn(monitor)
    return nil
  }

  /// Whether the monitor is the only worker that can take pending work: a permit is free, no worker
  /// is idle, and the system refuses another thread. The caller holds the lock.
  private var mustWork: Bool {
    shared.pointee.wasRefused && ThreadRefusal.isOpen && shared.pointee.idle == nil
      && shared.pointee.running < permits && workRemains()
  }

  /// The time to the next scan after `calm` scans without a finding.
  private static func tick(afterLooks calm: Int) -> UInt64 {
    calm < quickLooks ? quickTick : calm < alertLooks ? alertTick : calmTick
  }

  /// The monitor sleeps until `time`. The caller holds the lock; this releases it and
  /// takes it again.
  ///
  /// - Returns: whether the monitor was called because something overcommits.
  func sleepWatching(_ monitor: WorkerPointer, until time: UInt64) -> Bool {
    shared.pointee.sleepingMonitor = monitor
    sleepUncalled(monitor, until: time)
    let isCalled = shared.pointee.sleepingMonitor == nil
    shared.pointee.sleepingMonitor = nil
    return isCalled
  }

  /// The same, while nothing can call the monitor. The caller holds the lock; this releases
  /// it and takes it again.
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

  /// Sets whether the pool has a monitor. The caller holds the lock.
  func setWatched(_ isWatched: Bool) {
    shared.pointee.isWatched = isWatched
    updateSlotHint()
  }
}
