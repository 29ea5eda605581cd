// LockState+Waiting — the slow paths: a thread finds the lock held, and spins and then sleeps; or
// it releases the lock while others sleep.

import CSignalbox
package import SignalboxRuntime
import Synchronization

extension LockState {
  /// What a reader in another process sees of the lock.
  package func view(_ title: StaticString, _ label: OutsideView.Label) -> OutsideView {
    OutsideView(title, label: label, holder: .word(wordAddress(word)))
  }

  /// Acquires the lock for the calling thread: spins for a moment, then sleeps.
  ///
  /// - Parameters:
  ///   - thread: the calling thread's number.
  ///   - deadline: when to give up.
  ///   - resource: the lock as reports name it.
  /// - Returns: whether it acquired the lock.
  @inline(never)
  package borrowing func takeSlow(
    _ thread: UInt32, until deadline: Deadline = .never, for reason: WaitReason = .lock,
    on resource: WaitResource
  ) -> Bool {
    if spin(thread) { return true }
    let since = Clock.uptime.now
    while true {
      // order: relaxed; the compare-and-swaps below decide.
      let old = word.load(ordering: .relaxed)
      let owner = old & LockState.ownerMask
      if owner == 0 {
        if takeAwaited(thread) { return true }
        continue
      }
      LockMisuse.check(owner, thread, deadline, resource, since: since)
      let awaited = owner | LockState.awaited
      guard old == awaited || announce(old) else { continue }
      let outcome = Parking.wait(
        while: wordAddress(word), is: awaited, until: deadline, for: reason, on: resource,
        since: since)
      // Try once more: the lock may have been released as the deadline passed.
      if outcome == .timedOut { return takeAwaited(thread) }
    }
  }

  /// Does the same as `take`, for a thread that has slept or might have.
  private borrowing func takeAwaited(_ thread: UInt32) -> Bool {
    word.compareExchange(
      expected: 0, desired: thread | LockState.awaited,
      successOrdering: .acquiring,  // order: acquiring, LS1
      failureOrdering: .relaxed
    ).exchanged
  }

  private borrowing func announce(_ old: UInt32) -> Bool {
    word.compareExchange(
      expected: old, desired: old | LockState.awaited,
      ordering: .relaxed  // order: relaxed; the futex compares the word again.
    ).exchanged
  }

  /// Wakes one sleeping thread, if `old`, the word before the release, says that there are any.
  @inline(never)
  package borrowing func endLeaving(_ old: UInt32) {
    if old & LockState.awaited != 0 { Parking.wake(wordAddress(word)) }
  }

  // MARK: Spinning

  /// Tries for a moment to acquire the lock without sleeping.
  ///
  /// It spins only while no thread sleeps on the lock: the holder then most likely runs, and
  /// releases the lock sooner than a thread can fall asleep and wake.
  private borrowing func spin(_ thread: UInt32) -> Bool {
    guard LockSpin.isWorthwhile else { return false }
    let end = Clock.uptime.now + LockSpin.length
    var pause = LockSpin.shortestPause
    repeat {
      for _ in 0..<pause { csb_spin_hint() }
      pause = min(2 * pause, LockSpin.longestPause)
      // order: relaxed; may be out of date, the compare-and-swap decides.
      let seen = word.load(ordering: .relaxed)
      if seen & LockState.awaited != 0 || seen == thread { return false }
      if seen == 0 && take(thread) { return true }
    } while Clock.uptime.now < end
    return false
  }
}

/// How long a thread polls a held lock before it sleeps. Each poll takes the cache line away from
/// the holder, so the pauses between polls grow.
enum LockSpin {
  /// In nanoseconds: about half the cost of a sleep and a wake-up.
  static var length: UInt64 { 1_000 }
  /// In spin hints of the processor.
  static var shortestPause: Int { 4 }
  static var longestPause: Int { 64 }

  /// On one processor the holder cannot continue while others spin.
  static var isWorthwhile: Bool { csb_processors_are_many() != 0 }

  /// Spins for a moment. The first checks follow each other closely and read no
  /// clock.
  ///
  /// - Returns: the last value of `isOver`.
  @inline(__always)
  static func spin(until isOver: () -> Bool) -> Bool {
    if isOver() { return true }
    guard isWorthwhile else { return false }
    var end: UInt64?
    var pause = 1
    while true {
      for _ in 0..<pause { csb_spin_hint() }
      if isOver() { return true }
      pause = min(2 * pause, longestPause)
      guard pause > shortestPause else { continue }
      let now = Clock.uptime.now
      if now >= end ?? .max { return false }
      end = end ?? now + length
    }
  }

  // MARK: In a crowd

  /// In nanoseconds: how long a thread pauses after a wait before it polls again.
  ///
  /// Threads that contend all the time move the cache lines of a lock back and forth between the
  /// processors, and each would do its work sooner without the others. With this pause, eight
  /// threads on two processors, each with nine reads to a write, take half the time; with a third
  /// of the pause they gain nothing, with two thirds of it half as much. Threads that do some
  /// microseconds of work between two waits take as long as without a pause.
  static var interval: UInt64 { 3_000 }

  /// Spins until `interval` has passed since `time` on the uptime clock, or `isOver` returns true.
  static func pause(since time: UInt64, unless isOver: () -> Bool) {
    guard isWorthwhile else { return }
    // If a time namespace has set the clock back, the difference wraps around and the pause ends.
    while Clock.uptime.now &- time < interval && !isOver() {
      for _ in 0..<shortestPause { csb_spin_hint() }
    }
  }
}
