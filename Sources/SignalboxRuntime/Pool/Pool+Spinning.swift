// Pool+Spinning — the spinning worker: it spins for a moment, then looks at the slots while others
// run.

import CSignalbox
import Synchronization

extension Pool {
  /// How long a spinning worker spins, in nanoseconds: long enough to bridge two submissions in a
  /// row, and short compared with the two wakes (about 10 µs) that it may save.
  private static let spin: UInt64 = 1_000
  /// After this many spins in a row that found nothing, spin in only one of this many waits.
  private static let vainSpins: UInt32 = 16
  /// How often a spinning worker looks at the slots, in nanoseconds. A runnable in a slot starts
  /// at the second look at the latest, within 100 µs; or within 150 µs if the spinning worker
  /// began with a long spin before the slot's worker ran.
  private static let tick: UInt64 = 35_000
  /// How many checks without any change a spinning worker makes before it parks.
  private static let quietTicks = 6

  /// Waits a little for work as the spinning worker. The caller holds the lock; this releases it
  /// and takes it again.
  ///
  /// - Returns: true if the worker should check the run queue again; false if it should take
  ///   from a slot or park.
  func spinForWork(_ worker: WorkerPointer) -> Bool {
    if shared.pointee.spinner == nil { setSpinner(worker) }
    guard shared.pointee.spinner == worker else { return false }
    let isLong = tier == .normal && shared.pointee.running == 1 && worker.maySpinLong()
    if isLong || spinMayPay() {
      unlock()
      let found = spin(for: isLong ? AdaptiveSpin.length : Pool.spin)
      if isLong { worker.hasSpunLong(findingSomething: found) }
      lock.lock()
      if found || !shared.pointee.runQueue.isEmpty {
        shared.pointee.spinsInVain = 0
        return true
      }
      shared.pointee.spinsInVain &+= 1
    }
    return tier == .normal && tickWhileOthersRun(worker)
  }

  /// Whether to spin. After spins that found nothing, most are skipped: if submissions are that
  /// rare, each must wake a worker anyway. The caller holds the lock.
  private func spinMayPay() -> Bool {
    let vain = shared.pointee.spinsInVain
    if vain < Pool.vainSpins { return true }
    shared.pointee.spinsInVain = vain &+ 1
    return vain % Pool.vainSpins == 0
  }

  /// Spins. Returns whether work arrived in that time.
  private func spin(for length: UInt64) -> Bool {
    let end = Clock.uptime.now + length
    repeat {
      for _ in 0..<16 {
        if hasPending { return true }
        csb_spin_hint()
      }
    } while Clock.uptime.now < end
    return false
  }

  /// While other workers run, makes sure that nothing waits long in a slot. The caller
  /// holds the lock; this releases it and takes it again.
  ///
  /// - Returns: see `spinForWork`.
  private func tickWhileOthersRun(_ worker: WorkerPointer) -> Bool {
    var quiet = 0
    if noteSlots() == .stuck { return false }
    while shared.pointee.running > 1 {
      shared.pointee.spinnerSleeps = true
      // order: relaxed; written under the lock, like every change of the word.
      worker.pointee.word.store(WorkerWord.asleep, ordering: .relaxed)
      unlock()
      csb_thread_tighten_timers()
      _ = FutexSleeper.sleep(
        while: wordAddress(worker.pointee.word), is: WorkerWord.asleep,
        until: Deadline(.uptime, Clock.uptime.now + Pool.tick))
      lock.lock()
      let called = !shared.pointee.spinnerSleeps
      shared.pointee.spinnerSleeps = false
      if called || !shared.pointee.runQueue.isEmpty { return true }
      switch noteSlots() {
      case .stuck: return false
      case .moving: quiet = 0
      case .empty: quiet += 1
      }
      guard quiet == Pool.quietTicks else { continue }
      // Change the hint, then look at the slots once more (PL1).
      setSpinner(nil)
      guard workRemains() else { return false }
      setSpinner(worker)
      quiet = 0
    }
    return !shared.pointee.runQueue.isEmpty
  }
}

extension WorkerPointer {
  // These functions copy the value out and back: ThreadSanitizer would take a change in place for a
  // change of the whole worker.

  /// Whether to spin for longer than usual, because this worker has handed something to a thread
  /// outside the pool and the answer usually comes soon. Call it only if no other worker runs,
  /// because the spinning worker must check that worker's slot.
  fileprivate func maySpinLong() -> Bool {
    var spin = pointee.adaptiveSpin
    defer { pointee.adaptiveSpin = spin }
    return spin.mayPay()
  }

  fileprivate func hasSpunLong(findingSomething: Bool) {
    var spin = pointee.adaptiveSpin
    spin.hasSpun(findingSomething: findingSomething)
    pointee.adaptiveSpin = spin
  }

  func hasWaited(_ nanoseconds: UInt64) {
    var spin = pointee.adaptiveSpin
    spin.hasWaited(nanoseconds)
    pointee.adaptiveSpin = spin
  }
}
