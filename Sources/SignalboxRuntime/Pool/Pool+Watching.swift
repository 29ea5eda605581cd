// Pool+Watching — the worker that finds others blocked outside the doors: in a
// `read`, a `sleep`, a mutex of another library.
//
// There is a watcher only while runnables stand in the lines or in a slot and
// every place is taken. It looks every few milliseconds. A worker that has taken
// nothing and used no processor time between two looks, and that the kernel says
// is asleep, is counted out: another takes its place. When it is seen to move again
// it is counted in, and is then perhaps one too many until its item ends.
//
// Touching    `watch` of every worker: under the lock. `notes`: as `Worker` says.
// Rejected    the processor clock alone: on a loaded machine half the looks at
//             threads that are ready to run show no progress in 2 ms.

import CSignalbox
import Synchronization

extension Pool {
  /// Time between two looks, in nanoseconds, while something was found lately,
  /// and when nothing was: a blocked worker is found at the third look at the
  /// latest.
  private static let alertTick: UInt64 = 3_000_000
  private static let calmTick: UInt64 = 12_000_000
  /// Looks without a finding before the watcher calms down.
  private static let alertLooks = 16
  /// Looks in a row that found nothing pending before the watcher leaves. It
  /// stays for some ticks, so that work that comes in bursts calls it once.
  private static let idleLooks = 8
  /// Workers beyond the width that one look has room for: those that came back from
  /// a wait and are one too many.
  private static let surplus = 64

  /// What the watcher knows of a worker since its last look.
  struct Watch {
    var takes = UInt64.max
    var progress = UInt64.max
    var processorTime: UInt64 = 0
    var isSuspect = false
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
  /// - Returns: what it is to run itself, because it presses.
  func watch(_ watcher: WorkerPointer) -> ItemPointer? {
    var idle = 0
    var calm = 0
    var suspects: [Int32] = []
    var nextLook = Clock.uptime.now + Pool.alertTick
    var isCalled = pressing(upon: watcher) != nil
    while true {
      if isCalled || sleepWatching(watcher, until: nextLook) {
        isCalled = false
        if let item = takeOver(watcher) { return item }
        if Clock.uptime.now < nextLook { continue }
      }
      unlock()
      suspects.removeAll(keepingCapacity: true)
      // Outside the lock.
      suspects.reserveCapacity(width + Pool.surplus)
      let found = lookForBlocked(&suspects)
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
      nextLook = Clock.uptime.now + (calm < Pool.alertLooks ? Pool.alertTick : Pool.calmTick)
    }
    countIn(watcher)
    return nil
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
  /// - Returns: whether anybody was counted in or out.
  private func lookForBlocked(_ suspects: inout [Int32]) -> Bool {
    lock.lock()
    var moved = recall()
    gather(&suspects)
    unlock()
    suspects.removeAll { !Pool.isAsleep(csb_thread_state($0)) }
    lock.lock()
    for kernelID in suspects where countOutSuspect(kernelID) { moved = true }
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
  /// counted in.
  private func recall() -> Bool {
    var moved = false
    forEachWorker { worker in
      guard worker.isCountedOut, movement(of: worker) != .none else { return }
      takeBackCountingOut(worker)
      moved = true
    }
    return moved
  }

  /// Under the lock: the kernel's ids of those that have not moved since the last
  /// look, and have a place. What a worker keeps for itself that has taken nothing
  /// goes to the lines: who comes first has it, and it is seen if it presses.
  private func gather(_ suspects: inout [Int32]) {
    forEachWorker { worker in
      guard worker.pointee.isCounted, worker != shared.pointee.lookout,
        worker.pointee.kernelID != 0
      else { return worker.pointee.watch.isSuspect = false }
      let movement = movement(of: worker)
      if movement != .takes { appendOwn(of: worker) }
      let isStill = movement == .none
      worker.pointee.watch.isSuspect = isStill
      if isStill && suspects.count < suspects.capacity { suspects.append(worker.pointee.kernelID) }
    }
  }

  private enum Movement { case none, computes, takes }

  /// Under the lock: whether the worker has taken, run or computed anything since
  /// the last look.
  private func movement(of worker: WorkerPointer) -> Movement {
    // order: relaxed; compared with the last reading only.
    let takes = worker.pointee.takes.load(ordering: .relaxed)
    // order: relaxed; as above.
    let progress = worker.pointee.progress.load(ordering: .relaxed)
    let time = csb_thread_processor_time(worker.pointee.kernelID)
    let old = worker.pointee.watch
    worker.pointee.watch.takes = takes
    worker.pointee.watch.progress = progress
    worker.pointee.watch.processorTime = time
    if old.takes != takes || old.progress != progress { return .takes }
    return old.processorTime == time ? .none : .computes
  }

  /// Under the lock: counts out the worker with this kernel id, if it is still
  /// suspect.
  private func countOutSuspect(_ kernelID: Int32) -> Bool {
    var done = false
    forEachWorker { worker in
      guard worker.pointee.kernelID == kernelID, worker.pointee.watch.isSuspect,
        worker.pointee.isCounted, worker != shared.pointee.lookout
      else { return }
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

  func forEachWorker(_ body: (WorkerPointer) -> Void) {
    var next = shared.pointee.all
    while let worker = next {
      next = worker.pointee.nextOfAll
      body(worker)
    }
  }
}

extension WorkerPointer {
  /// Under the lock: whether it was found blocked, and has not moved since.
  var isCountedOut: Bool {
    // order: relaxed; written under the lock.
    pointee.notes.load(ordering: .relaxed) & WorkerNotes.countedOut != 0
  }
}
