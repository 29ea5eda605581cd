// Submissions — how many threads are submitting items for C code to a queue at this moment.
//
// C code may give up its last reference to a queue in the item that it submits, while the
// submitting thread still uses the queue to arrange that the item runs. So while threads are
// submitting, C's last reference is not released; the last submitting thread releases it.
//
// bits    name        meaning
// 0       deferred    C has given up its last reference, and Swift's is to be released
// 1–31    threads     a count
//
// Touching    any thread, atomically.
// Ordering    SU1  each leave, and a deferred release by C (releasing) → the leave, or the release
//                  by C, that finds no other thread (acquiring): the queue is freed after the last
//                  use. A thread enters before it appends its item, so a thread that has seen the
//                  item run sees the submitting thread here.
// Rejected    a Swift reference for each submission: the reference count is on the cache line of
//             the object's header, which the owner of the queue writes.

import Synchronization

struct Submissions: ~Copyable {
  private let word = Atomic<UInt32>(0)

  private static let deferred: UInt32 = 1
  private static let oneThread: UInt32 = 2

  @inline(__always)
  borrowing func enter() {
    // order: relaxed; the item that this thread appends next publishes the count.
    word.wrappingAdd(Submissions.oneThread, ordering: .relaxed)
  }

  /// - Returns: whether this thread must release Swift's reference.
  @inline(__always)
  borrowing func leave() -> Bool {
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while true {
      let isLast = old == Submissions.oneThread | Submissions.deferred
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: isLast ? 0 : old - Submissions.oneThread,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, SU1
        failureOrdering: .relaxed)
      if exchanged { return isLast }
      old = current
    }
  }

  /// Defers the release of Swift's reference to the last submitting thread.
  ///
  /// - Returns: whether there is such a thread. If not, the caller releases the reference.
  borrowing func deferRelease() -> Bool {
    // order: acquiring and releasing, SU1
    let old = word.bitwiseOr(Submissions.deferred, ordering: .acquiringAndReleasing).oldValue
    // A second deferred reference need not wait: the first one is still held.
    if old & Submissions.deferred != 0 { return false }
    if old >= Submissions.oneThread { return true }
    // Clear the bit again, unless an item of the queue has begun to submit another item: then the
    // thread that submits it releases the reference.
    // order: relaxed; the operation above has acquired what this thread must see.
    return !word.compareExchange(
      expected: Submissions.deferred, desired: 0, ordering: .relaxed
    ).exchanged
  }
}
