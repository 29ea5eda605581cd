// OwnerCounts — what the owner of a list counts while it serves the list.
//
// Only one thread at a time owns a queue, and the next owner sees what the one before it did. So
// counting takes a load and a store, and no thread waits for another's cache line.
//
// Touching    each count: written by the owner of the object to which the list belongs; read by
//             any thread. A reader may find an old number, but never a smaller one later.
// Invariants  I1  the owner counts an item or a waiting thread after it has removed it and before
//                 it runs the item or wakes the thread. `ListLook` and readers in other processes
//                 rely on it.
// Rejected    a count of submitted items: producers do not take turns, so each item would cost one
//             more atomic operation. Instead, a reader adds the items in the list to `runs`.
//             The greatest depth: only a producer could know it, from that count. `QueueTimes`
//             measures it while times are measured.
//             A count of calls of `sync` that run at the same time as others: such calls do not
//             take turns either.

public import Synchronization

@frozen @usableFromInline
package struct OwnerCounts: ~Copyable {
  /// How many items the owner has taken out of the list to run them.
  @usableFromInline package let runs = SingleWriter<UInt64>(0)
  /// How many calls of `sync` had the queue alone.
  @usableFromInline package let turns = SingleWriter<UInt64>(0)
  /// How many calls of `sync` waited in the list and were granted the queue, or a share of it.
  package let waits = SingleWriter<UInt64>(0)

  @inlinable init() {}

  // Only `Scripts/probe-cost` builds without counts, to measure what they cost.

  @inlinable @inline(__always)
  package func countRun() {
    #if !SIGNALBOX_WITHOUT_COUNTS
      runs.increment()
    #endif
  }

  @inlinable @inline(__always)
  package func countTurn() {
    #if !SIGNALBOX_WITHOUT_COUNTS
      turns.increment()
    #endif
  }

  package func countWait() {
    #if !SIGNALBOX_WITHOUT_COUNTS
      waits.increment()
    #endif
  }
}
