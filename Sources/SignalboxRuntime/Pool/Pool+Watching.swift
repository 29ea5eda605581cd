// Pool+Watching — the worker that finds others blocked outside the doors: in a
// `read`, a `sleep`, a mutex of another library.
//
// There is a watcher only while runnables stand in the lines or in a slot and
// every place is taken. It looks every few milliseconds. A worker that has taken
// nothing since the last look, was off the processor for most of that time, and that the
// kernel says is asleep, is counted out: another takes its place. So one that sleeps briefly
// and often is found as well as one that sleeps for long. When it is seen to take something,
// to compute for most of the time, or to be awake at two looks in a row, it is counted in, and
// is then perhaps one too many until its item ends.
//
// Touching    `watch` of every worker: under the lock. `notes`: as `Worker` says.
// Rejected    the processor clock alone: on a loaded machine half the looks at
//             threads that are ready to run show no progress in 2 ms.
//             The number of voluntary switches in `/proc`: reading it takes 15 µs, the state
//             8, and a sleeper is found asleep at one of the next looks anyhow.
//             Items with the tight timers of the pool: `usleep(1)` then makes no switch at all,
//             and nothing but the kernel's share of the time tells it from computing.

import CSignalbox
import Synchronization

extension Pool {
  /// Time between two looks, in nanoseconds: while something was found just now, while it
  /// was lately, and when nothing was.
  private static let quickTick: UInt64 = 1_000_000
  private static let alertTick: UInt64 = 3_000_000
  private static let calmTick: UInt64 = 8_000_000
  /// Looks without a finding before the watcher slows down, and before it calms down.
  private static let quickLooks = 6
  private static let alertLooks = 20
  /// A look costs some microseconds for each worker that is looked at closely: the time
  /// between two looks is so many times as long as the last one took, at least.
  private static let lookShare: UInt64 = 20
  /// The same while somebody was found lately: then others wait for the next look.
  private static let quickLookShare: UInt64 = 8
  /// No more than that: a look that took long may only have lost its processor.
  private static let longestTick: UInt64 = 2 * calmTick
  /// Looks in a row that found nothing pending before the watcher leaves. It
  /// stays for some ticks, so that work that comes in bursts calls it once.
  private static let idleLooks = 12
  /// Workers beyond the width that one look has room for: those that came back from
  /// a wait and are one too many.
  private static let surplus = 64

  /// What the watcher knows of a worker since its last look.
  struct Watch {
    var takes = UInt64.max
    var progress = UInt64.max
    var processorTime: UInt64 = 0
    /// When it was looked at, on the uptime clock.
    var time: UInt64 = 0
    /// When it was first seen with these `takes` and `progress`.
    var since: UInt64 = 0
    /// Whether its state is to be asked for.
    var isSuspect = false
    /// Counted out, and awake at the last look.
    var wasAwake = false
    var ticks = Pool.Ticks()
  }

  /// Under the lock: work is pending and every place is taken: is any of them
  /// taken by a worker that sleeps?
  func callWatcher() -> Call {
    if shared.pointee.isWatched { return callForPressing() }
    guard workRemains() else { return .nobody }
    setWatched(true)
    if let worker = takeIdle(for: .watch) { return .wake(worker, worker.pointee.thread) }
    return .start(.watch)
  }

  /// Under the lock, which is left and taken again: watches as long as there is
  /// something to watch for.
  ///
  /// - Returns: what it is to run itself, because it presses or starves.
  func watch(_ watcher: WorkerPointer) -> ItemPointer? {
    var idle = 0
    var calm = 0
    var hasFound = false
    var suspects: [Int32] = []
    swap(&suspects, &shared.pointee.suspects)
    defer { swap(&suspects, &shared.pointee.suspects) }
    var now = Clock.uptime.now
    var nextLook = now
    // Most are gone before that.
    var nextChurnLook = now + Pool.churnTick
    shared.pointee.churns = false
    var isCalled = pressing(upon: watcher) != nil
    while true {
      let wakeTime = min(nextLook, starvingTime(now: now) ?? nextLook)
      if isCalled || sleepWatching(watcher, until: wakeTime) {
        isCalled = false
        if let item = takeOver(watcher) { return item }
      }
      now = Clock.uptime.now
      if let item = rescue(watcher, now: now) { return item }
      if now < nextLook { continue }
      unlock()
      suspects.removeAll(keepingCapacity: true)
      // Outside the lock.
      suspects.reserveCapacity(width + Pool.surplus)
      let found = lookForBlocked(&suspects, foundLately: calm < Pool.quickLooks && hasFound)
      hasFound = hasFound || found
      if now >= nextChurnLook {
        nextChurnLook = now + Pool.churnTick
        lookForChurning()
      }
      lock.lock()
      // What stood in a slot may be in the lines by now.
      isCalled = pressing(upon: watcher) != nil
      calm = found ? 0 : calm + 1
      idle = workRemains() ? 0 : idle + 1
      if idle == Pool.idleLooks {
        // The guard goes down, then the slots are looked at once more (PL1).
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
    countIn(watcher)
    return nil
  }

  /// The time to the next look, after so many without a finding.
  private static func tick(afterLooks calm: Int) -> UInt64 {
    calm < quickLooks ? quickTick : calm < alertLooks ? alertTick : calmTick
  }

  /// Under the lock, which is left and taken again: the watcher sleeps.
  ///
  /// - Returns: whether it was called, because something presses.
  func sleepWatching(_ watcher: WorkerPointer, until time: UInt64) -> Bool {
    shared.pointee.sleepingWatcher = watcher
    sleepUncalled(watcher, until: time)
    let isCalled = shared.pointee.sleepingWatcher == nil
    shared.pointee.sleepingWatcher = nil
    return isCalled
  }

  /// Under the lock, which is left and taken again.
  func sleepUncalled(_ watcher: WorkerPointer, until time: UInt64) {
    // order: relaxed; written under the lock, as every change of the word.
    watcher.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
    unlock()
    csb_thread_tighten_timers()
    _ = FutexSleeper.sleep(
      while: wordAddress(watcher.pointee.word), is: WorkerWord.asleep,
      until: Deadline(.uptime, time))
    lock.lock()
    watcher.pointee.word.store(WorkerWord.awake, ordering: .relaxed)  // order: relaxed; as above.
  }

  /// Under the lock.
  func setWatched(_ isWatched: Bool) {
    shared.pointee.isWatched = isWatched
    updateSlotHint()
  }

  /// One look. `suspects` is empty, with room for those who may be found.
  ///
  /// - Parameter foundLately: whether somebody was found a few looks ago: then those who began
  ///   since are likely to do the same, and are not given a second look.
  /// - Returns: whether anybody was counted in or out.
  private func lookForBlocked(_ suspects: inout [Int32], foundLately: Bool) -> Bool {
    lock.lock()
    var moved = recall(&suspects)
    gather(&suspects, foundLately: foundLately)
    unlock()
    // Those that are asleep come first.
    let asleep = suspects.partition { !Pool.isAsleep(csb_thread_state($0)) }
    lock.lock()
    for kernelID in suspects[..<asleep] where countOutSuspect(kernelID) { moved = true }
    for kernelID in suspects[asleep...] where recallAwake(kernelID) { moved = true }
    // Also where nobody was found: a tier above may have left a place.
    let call = shared.pointee.running < places && workRemains() ? callForWork() : .nobody
    unlock()
    place(call)
    return moved
  }

  private static func isAsleep(_ state: CChar) -> Bool {
    // Interruptible, uninterruptible, stopped by a signal or a debugger.
    state == CChar(UInt8(ascii: "S")) || state == CChar(UInt8(ascii: "D"))
      || state == CChar(UInt8(ascii: "T")) || state == CChar(UInt8(ascii: "t"))
  }

  /// Under the lock: workers that were counted out and have moved since are
  /// counted in. Those that may have, or mostly sleep, are suspects.
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

  /// Under the lock: the kernel's ids of those that have taken nothing since the last look,
  /// have a place, and were off the processor for most of the time. What a worker keeps for
  /// itself that has taken nothing goes to the lines: who comes first has it, and it is seen
  /// if it presses.
  private func gather(_ suspects: inout [Int32], foundLately: Bool) {
    shared.pointee.all.forEach { worker in
      guard worker.pointee.isCounted, worker != shared.pointee.lookout,
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
    /// Nothing: it had no processor.
    case sleeps
    /// It had a processor for less than half of the time.
    case rests
    /// It had one for longer.
    case computes
    /// It took a runnable, and no other.
    case begins
    /// It took or ran several.
    case takes
  }

  /// Under the lock: what the worker did since the last look.
  private func movement(of worker: WorkerPointer) -> Movement {
    let old = worker.pointee.watch
    // order: relaxed; compared with the last reading only.
    worker.pointee.watch.takes = worker.pointee.takes.load(ordering: .relaxed)
    // order: relaxed; as above.
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

  /// Under the lock: counts in the worker with this kernel id, if it was counted out and has
  /// been awake at two looks in a row: on a busy machine one that computes has less than half
  /// of a processor.
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

  /// Under the lock: counts out the worker with this kernel id, if it is still
  /// suspect.
  private func countOutSuspect(_ kernelID: Int32) -> Bool {
    var done = false
    shared.pointee.all.forEach { worker in
      guard worker.pointee.kernelID == kernelID, worker.pointee.watch.isSuspect else { return }
      worker.pointee.watch.wasAwake = false
      guard worker.pointee.isCounted, worker != shared.pointee.lookout else { return }
      appendOwn(of: worker)
      // order: relaxed; acted upon under the lock.
      worker.pointee.notes.bitwiseOr(WorkerNotes.countedOut, ordering: .relaxed)
      countOut(worker)
      done = true
    }
    return done
  }

  /// Under the lock: the worker moves again.
  func takeBackCountingOut(_ worker: WorkerPointer) {
    // order: relaxed; written under the lock.
    worker.pointee.notes.bitwiseAnd(~WorkerNotes.countedOut, ordering: .relaxed)
    countIn(worker)
  }
}

extension WorkerPointer {
  /// Under the lock: whether it was found blocked, and has not moved since.
  var isCountedOut: Bool {
    // order: relaxed; written under the lock.
    pointee.notes.load(ordering: .relaxed) & WorkerNotes.countedOut != 0
  }
}
