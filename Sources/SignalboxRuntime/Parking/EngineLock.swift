// EngineLock — the engine's own one-word lock, for short critical sections.
//
// States      free → held → contended            (see `LockWord`)
// Touching    `word`: any thread, atomically.
// Ordering    EL1  unlock's releasing exchange → lock's acquiring exchange.
// Invariants  I1  contended ⇒ a thread may sleep on the word: unlock wakes one.
//             I2  a thread that holds the lock runs no user code, frees no memory and
//                 waits for no other thread.
// Rejected    the toolchain's `Mutex`: a priority-inheritance futex, far slower when
//             contended.
// Sources     U. Drepper, "Futexes Are Tricky" (2011), the second mutex: an
//             exchange in place of its compare-and-swap on the slow path.

import CSignalbox
public import Synchronization

@usableFromInline
package enum LockWord {
  @usableFromInline package static let free: UInt32 = 0
  @usableFromInline package static let held: UInt32 = 1
  @usableFromInline package static let contended: UInt32 = 2
}

@frozen @usableFromInline
package struct EngineLock: ~Copyable {
  @usableFromInline let word = Atomic<UInt32>(0)

  @inlinable package init() {}

  @inlinable package borrowing func lock() {
    let (taken, _) = word.compareExchange(
      expected: 0, desired: 1,
      ordering: .acquiring)  // order: acquiring, EL1
    if !taken { lockSlow() }
  }

  /// Takes the lock if it is free.
  @inlinable package borrowing func tryLock() -> Bool {
    let (taken, _) = word.compareExchange(
      expected: 0, desired: 1,
      ordering: .sequentiallyConsistent)  // order: sequentially consistent, EL1 and IB1
    return taken
  }

  /// Releases the lock before the caller checks for runnables that other threads left in
  /// the inbox because they could not take the lock.
  @inlinable package borrowing func unlockBeforeLook() {
    // order: sequentially consistent, EL1 and IB1
    let old = word.exchange(0, ordering: .sequentiallyConsistent)
    if old == 2 { unlockSlow() }
  }

  @inlinable package borrowing func unlock() {
    let old = word.exchange(0, ordering: .releasing)  // order: releasing, EL1
    if old == 2 { unlockSlow() }
  }

  @inlinable package borrowing func withLock<T: ~Copyable>(_ body: () -> T) -> T {
    lock()
    defer { unlock() }
    return body()
  }

  /// How many times a thread checks before it sleeps: about a microsecond, a few
  /// times the longest critical section.
  @usableFromInline static var spinLimit: Int { 40 }

  @inline(never) @usableFromInline
  borrowing func lockSlow() {
    for _ in 0..<EngineLock.spinLimit {
      csb_spin_hint()
      // order: relaxed; only a hint, the exchange below decides.
      guard word.load(ordering: .relaxed) == LockWord.free else { continue }
      let (taken, _) = word.compareExchange(
        expected: LockWord.free, desired: LockWord.held,
        ordering: .acquiring)  // order: acquiring, EL1
      if taken { return }
    }
    // From here on the word says `contended` whenever this thread holds the lock, because
    // it cannot know whether others still sleep.
    while true {
      // order: acquiring, EL1
      let old = word.exchange(LockWord.contended, ordering: .acquiring)
      if old == LockWord.free { return }
      _ = FutexSleeper.sleep(while: wordAddress(word), is: LockWord.contended, until: .never)
    }
  }

  /// In a forked child, called by its only thread: frees the lock, whose holder stayed in
  /// the parent.
  package borrowing func forgetHolder() {
    word.store(LockWord.free, ordering: .relaxed)  // order: relaxed; no other thread exists.
  }

  /// Called before a fork: initializes what the slow paths need in the child.
  borrowing func rehearse() { unlockSlow() }

  @inline(never) @usableFromInline
  borrowing func unlockSlow() {
    FutexSleeper.wake(wordAddress(word))
  }
}
