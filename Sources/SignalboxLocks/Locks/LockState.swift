// LockState — who holds a lock, and whether others sleep for it, in one word.
//
// bits    name      set if                      set by                  cleared by
// 0–30    owner     the thread of this number   taking                  leaving
//                   holds the lock
// 31      awaited   a thread may sleep on the   a thread about to       leaving
//                   word                        sleep; one that has
//                                               slept, when it takes
//
// A free lock's word is 0.
//
// Touching    the word: any thread, atomically.
// Ordering    LS1  leave's releasing exchange → take's acquiring compare-and-swap.
// Invariants  I1  a thread sleeps on the word ⇒ `awaited` is set, or a thread that
//                 was woken is about to take the lock or to set it.
//             I2  whoever has slept takes the lock with `awaited` set: it cannot
//                 know whether others still sleep.
// Rejected    handing the lock to the thread that is woken: everybody would then
//             wait for the scheduler at each change of hands. A lock here goes to
//             whoever comes while it is free.
//             A priority-inheritance futex: a system call each way as soon as two
//             threads meet.
// Sources     U. Drepper, "Futexes Are Tricky" (2011), the second mutex: with the
//             owner in the word, so that a deadlock can be told.

public import Synchronization

@frozen @usableFromInline
package struct LockState: ~Copyable {
  @usableFromInline let word: Atomic<UInt32>

  @inlinable package init() { word = Atomic(0) }

  /// A lock that the thread of this number holds.
  init(heldBy thread: UInt32) { word = Atomic(thread) }

  @inlinable static var awaited: UInt32 { 1 << 31 }
  @inlinable static var ownerMask: UInt32 { awaited - 1 }

  /// Takes the lock for `thread` if it is free.
  @inlinable @inline(__always)
  package borrowing func take(_ thread: UInt32) -> Bool {
    word.compareExchange(
      expected: 0, desired: thread,
      successOrdering: .acquiring,  // order: acquiring, LS1
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Lets go of the lock, whoever holds it.
  ///
  /// - Returns: the word as it was. If that is not just the number of the calling
  ///   thread, ``endLeaving(_:)`` must see to the rest.
  @inlinable @inline(__always)
  package borrowing func leave() -> UInt32 {
    word.exchange(0, ordering: .releasing)  // order: releasing, LS1
  }

  /// The thread that holds the lock; 0 if none does. Only the calling thread's own
  /// number stays true.
  @inlinable package var owner: UInt32 {
    // order: relaxed; a thread sees what it wrote itself, all else is a hint.
    word.load(ordering: .relaxed) & LockState.ownerMask
  }
}
