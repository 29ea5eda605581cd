// LockState — who holds a lock, and whether other threads sleep on it, in one word.
//
// bits    name      set if                      set by                  cleared by
// 0–30    owner     the thread of this number   acquiring               releasing
//                   holds the lock
// 31      awaited   a thread may sleep on the   a thread about to       releasing
//                   word                        sleep; one that has
//                                               slept, when it acquires
//
// A free lock's word is 0.
//
// Touching    the word: any thread, atomically.
// Ordering    LS1  leave's releasing exchange → take's acquiring compare-and-swap.
// Invariants  I1  a thread sleeps on the word ⇒ `awaited` is set, or a thread that was woken is
//                 about to acquire the lock or to set `awaited`.
//             I2  a thread that has slept acquires the lock with `awaited` set: it cannot know
//                 whether others still sleep.
// Rejected    handing the lock to the thread that is woken: all threads would then wait for the
//             scheduler at each hand-off. Here a free lock goes to the thread that tries first. A
//             priority-inheritance futex: it costs a system call each way as soon as two threads
//             meet.
// Sources     U. Drepper, "Futexes Are Tricky" (2011), the second mutex; here with the owner in
//             the word, so that deadlocks can be reported.

public import Synchronization

@frozen @usableFromInline
package struct LockState: ~Copyable {
  @usableFromInline let word: Atomic<UInt32>

  @inlinable package init() { word = Atomic(0) }

  /// A lock that the thread of this number holds.
  init(heldBy thread: UInt32) { word = Atomic(thread) }

  @inlinable static var awaited: UInt32 { 1 << 31 }
  @inlinable static var ownerMask: UInt32 { awaited - 1 }

  /// Acquires the lock for `thread` if it is free.
  @inlinable @inline(__always)
  package borrowing func take(_ thread: UInt32) -> Bool {
    word.compareExchange(
      expected: 0, desired: thread,
      successOrdering: .acquiring,  // order: acquiring, LS1
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Releases the lock, whichever thread holds it.
  ///
  /// - Returns: the old word. If it is not exactly the number of the calling thread, call
  ///   ``endLeaving(_:)``.
  @inlinable @inline(__always)
  package borrowing func leave() -> UInt32 {
    word.exchange(0, ordering: .releasing)  // order: releasing, LS1
  }

  /// The thread that holds the lock; 0 if none does. It is only reliable if it is the calling
  /// thread's own number.
  @inlinable package var owner: UInt32 {
    // order: relaxed; a thread sees what it wrote itself, all else is a hint.
    word.load(ordering: .relaxed) & LockState.ownerMask
  }
}
