// LockState+Waiting — what a thread does that finds a lock held, and one that leaves
// it while others sleep.

import CSignalbox
package import SignalboxRuntime
import Synchronization

extension LockState {
  /// Takes the lock for the calling thread: spins for a moment, then sleeps.
  ///
  /// - Parameters:
  ///   - thread: the calling thread's number.
  ///   - deadline: when to give up.
  ///   - resource: the lock, as reports name it.
  /// - Returns: whether it was taken.
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
      let outcome = WaitingDoor.wait(
        while: wordAddress(word), is: awaited, until: deadline, for: reason, on: resource,
        since: since)
      // A last look: it may have been left while the clock struck.
      if outcome == .timedOut { return takeAwaited(thread) }
    }
  }

  /// As `take`, by a thread that has slept, or might have.
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

  /// Wakes one of those that sleep, if `old`, the word before it was left, says so.
  @inline(never)
  package borrowing func endLeaving(_ old: UInt32) {
    if old & LockState.awaited != 0 { WaitingDoor.wake(wordAddress(word)) }
  }

  // MARK: Spinning

  /// Tries for a moment to take the lock without sleeping.
  ///
  /// Only while nobody sleeps for it: then whoever holds it most likely runs, and
  /// is done sooner than a thread is put to sleep and woken.
  private borrowing func spin(_ thread: UInt32) -> Bool {
    guard LockSpin.isWorthwhile else { return false }
    let end = Clock.uptime.now + LockSpin.length
    var pause = LockSpin.shortestPause
    repeat {
      for _ in 0..<pause { csb_spin_hint() }
      pause = min(2 * pause, LockSpin.longestPause)
      // order: relaxed; a hint, the compare-and-swap decides.
      let seen = word.load(ordering: .relaxed)
      if seen & LockState.awaited != 0 || seen == thread { return false }
      if seen == 0 && take(thread) { return true }
    } while Clock.uptime.now < end
    return false
  }
}

/// How long a thread looks at a held lock before it sleeps. Each look takes the line
/// away from the holder, so the pauses between them grow.
enum LockSpin {
  /// In nanoseconds: about half of what it costs to sleep and be woken.
  static var length: UInt64 { 1_000 }
  /// In hints to the processor.
  static var shortestPause: Int { 4 }
  static var longestPause: Int { 64 }

  /// On one processor the holder cannot go on while others look.
  static var isWorthwhile: Bool { csb_processors_are_many() != 0 }
}
