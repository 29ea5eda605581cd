// ItemList — items in the order of submission: many producers, one consumer.
//
// States      empty: `tail` is nil. Otherwise `tail` is the newest item, and the
//             older ones are reached from `head`.
// Touching    `tail`: any producer and the consumer. `head`: the producer that
//             found the list empty, and the consumer.
// Ordering    IL1  a producer's exchange of `tail` → the next producer's, and
//                  the consumer's compare-and-swap: items form one chain.
//             IL2  a producer's releasing store of the link to its item → the
//                  consumer's acquiring load: the item's contents are seen.
//             IL3  the consumer's compare-and-swap that empties the list
//                  (releasing) → whoever sees it empty (acquiring): it then sees
//                  the consumer as the owner of what the list belongs to.
// Invariants  I1  a producer is told that the list was empty exactly once for
//                 every time the consumer emptied it; it must then see to it
//                 that someone consumes.
//             I2  between a producer's exchange and its link, `tail` is set and
//                 the item cannot be reached yet: the consumer sees `nil` and
//                 leaves; for the first item the producer then calls someone,
//                 for a later one the consumer waits those few instructions.
// Rejected    a lock around a plain list: producers stall behind one that was
//             preempted with the lock held.
// Sources     D. Vyukov, "Intrusive MPSC node-based queue" (2010), without its
//             stub node: emptiness must be known to the producer.

public import CSignalbox
public import Synchronization

@frozen @usableFromInline
package struct ItemList: ~Copyable, @unchecked Sendable {  // SAFETY: see Touching.
  @usableFromInline let head = Atomic<ItemPointer?>(nil)
  /// Keeps `tail`, which every producer writes, off the cache line of `head`
  /// and of what its owner puts before it, which the consumer writes.
  private let apart: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
    (0, 0, 0, 0, 0, 0, 0)
  @usableFromInline let tail = Atomic<ItemPointer?>(nil)

  @inlinable package init() {}

  /// Whether nothing was appended that has not been taken out. Any thread. A
  /// thread that has appended an item sees `false` until it was taken out, also
  /// while an earlier producer has not linked its own yet.
  @inlinable @inline(__always)
  package borrowing func isEmpty() -> Bool {
    tail.load(ordering: .acquiring) == nil  // order: acquiring, IL3
  }

  /// Appends. Any thread.
  ///
  /// - Returns: whether the list was empty, so that the caller must now call a
  ///   consumer.
  @inlinable
  package borrowing func append(_ item: ItemPointer) -> Bool {
    // order: relaxed; published by the exchange below, IL1 carries it.
    item.pointee.next.store(nil, ordering: .relaxed)
    // order: sequentially consistent, IL1, QL1 and IB1
    let previous = tail.exchange(item, ordering: .sequentiallyConsistent)
    if let previous {
      previous.pointee.next.store(item, ordering: .releasing)  // order: releasing, IL2
      return false
    }
    head.store(item, ordering: .releasing)  // order: releasing, IL2
    return true
  }

  /// The oldest item, left in the list. Consumer only.
  @inlinable
  package borrowing func first() -> ItemPointer? {
    head.load(ordering: .acquiring)  // order: acquiring, IL2
  }

  /// Takes out `item`, which `first()` gave. Consumer only.
  ///
  /// - Returns: the item after it, if there is one.
  @inlinable @discardableResult
  package borrowing func removeFirst(_ item: ItemPointer) -> ItemPointer? {
    // order: acquiring, IL2
    if let next = item.pointee.next.load(ordering: .acquiring) {
      // Its producer wrote it on another core: let it come while `item` runs.
      csb_prefetch(next)
      // order: relaxed; only the consumer reads it before the next emptying.
      head.store(next, ordering: .relaxed)
      return next
    }
    return removeLast(item)
  }

  /// `item` looks like the last one. Consumer only.
  @inlinable
  borrowing func removeLast(_ item: ItemPointer) -> ItemPointer? {
    // order: relaxed; the releasing compare-and-swap below keeps it before the
    // store of the producer that will find the list empty.
    head.store(nil, ordering: .relaxed)
    let (emptied, _) = tail.compareExchange(
      expected: item, desired: nil,
      successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, IL1 and IL3
      failureOrdering: .relaxed)
    if emptied { return nil }
    return removeBeforeLink(item)
  }

  /// A producer has exchanged `tail` and is about to link its item: wait for
  /// the link, a few instructions away unless that thread was preempted.
  @inline(never) @usableFromInline
  borrowing func removeBeforeLink(_ item: ItemPointer) -> ItemPointer {
    var looks = 0
    while true {
      // order: acquiring, IL2
      if let next = item.pointee.next.load(ordering: .acquiring) {
        head.store(next, ordering: .relaxed)  // order: relaxed; as in `removeFirst`.
        return next
      }
      looks += 1
      if looks % 64 == 0 { WaitingDoor.giveWay() } else { csb_spin_hint() }
    }
  }

  /// Forgets everything in it, linked or not. Only where no other thread is left:
  /// in a forked child.
  package borrowing func abandon() {
    // order: relaxed; no other thread is there.
    head.store(nil, ordering: .relaxed)
    tail.store(nil, ordering: .relaxed)  // order: relaxed; as above.
  }

  /// How many items can be reached. Consumer only. O(n).
  package borrowing func count() -> Int {
    var count = 0
    var item = first()
    while let current = item {
      count += 1
      item = current.pointee.next.load(ordering: .acquiring)  // order: acquiring, IL2
    }
    return count
  }

  /// Whether something was appended that has not been taken out. Any thread.
  package borrowing func mayHold() -> Bool {
    // order: sequentially consistent, IB1
    tail.load(ordering: .sequentiallyConsistent) != nil
  }

  /// Whether `item`, which the caller has appended, is all there is. It may have
  /// been taken out meanwhile: then not.
  package borrowing func holdsOnly(_ item: ItemPointer) -> Bool {
    // order: sequentially consistent, QL1
    tail.load(ordering: .sequentiallyConsistent) == item
  }

  /// The newest item, or nil. Any thread; only a hint.
  @inlinable
  package borrowing func newest() -> ItemPointer? {
    tail.load(ordering: .relaxed)  // order: relaxed; compared, never followed.
  }
}
