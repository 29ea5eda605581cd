// ItemList — items in the order of submission, with many producers and one consumer.
//
// States      empty: `tail` is nil. Otherwise `tail` is the newest item, and the
//             older ones are reached from `head`.
// Touching    `tail`: any producer and the consumer. `head`: the producer that
//             found the list empty, and the consumer. `counts`: see `OwnerCounts`.
// Ordering    IL1  a producer's exchange of `tail` → the next producer's, and
//                  the consumer's compare-and-swap: items form one chain.
//             IL2  a producer's releasing store of the link to its item → the
//                  consumer's acquiring load: it sees the item's contents.
//             IL3  the consumer's compare-and-swap that empties the list
//                  (releasing) → a thread that sees it empty (acquiring): that
//                  thread sees what the consumer did as the owner of the object
//                  to which the list belongs.
// Invariants  I1  each time the consumer empties the list, exactly one producer
//                 is told that it was empty; that producer must make sure that a
//                 thread consumes.
//             I2  between a producer's exchange and its link, `tail` is set but
//                 the item cannot be reached yet. If it is the first item, the
//                 consumer sees `nil` and leaves, and the producer then calls a
//                 consumer. If it is a later item, the consumer waits for the link, which is a few
//                 instructions away.
// Rejected    a lock around a plain list: producers stall behind one that was
//             preempted while it held the lock.
// Sources     D. Vyukov, "Intrusive MPSC node-based queue" (2010), without its
//             stub node, because a producer must know whether the list was empty.

public import CSignalbox
public import Synchronization

@frozen @usableFromInline
package struct ItemList: ~Copyable, @unchecked Sendable {  // SAFETY: see Touching.
  @usableFromInline let head = Atomic<ItemPointer?>(nil)
  /// What the consumer counts. The first count, which changes with every item, is on the cache
  /// line of `head` if the address of `head` is a multiple of two words.
  @usableFromInline package let counts = OwnerCounts()
  /// Keeps `tail`, which every producer writes, off the cache line of `head` and of the
  /// owner's fields before it, which the consumer writes.
  private let apart: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  @usableFromInline let tail = Atomic<ItemPointer?>(nil)

  @inlinable package init() {}

  /// Whether every appended item has been taken out. Any thread. A thread that has
  /// appended an item sees `false` until it is taken out, even while an earlier producer
  /// has not linked its own item yet.
  @inlinable @inline(__always)
  package borrowing func isEmpty() -> Bool {
    tail.load(ordering: .acquiring) == nil  // order: acquiring, IL3
  }

  /// Appends an item. Any thread.
  ///
  /// - Returns: whether the list was empty. If so, the caller must call a consumer.
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

  /// The oldest item, which stays in the list. Consumer only; as a hint, another thread may compare
  /// the address with one that it knows.
  @inlinable
  package borrowing func first() -> ItemPointer? {
    head.load(ordering: .acquiring)  // order: acquiring, IL2
  }

  /// Takes out `item`, which `first()` returned. Consumer only.
  ///
  /// - Returns: the item after it, if there is one.
  @inlinable @discardableResult
  package borrowing func removeFirst(_ item: ItemPointer) -> ItemPointer? {
    // order: acquiring, IL2
    if let next = item.pointee.next.load(ordering: .acquiring) {
      // The producers of the next items wrote them on other cores: prefetch those items while
      // `item` runs.
      Item.prefetchCaptures(next)
      // order: relaxed; only its cache line is fetched.
      if let second = next.pointee.next.load(ordering: .relaxed) { csb_prefetch(second) }
      // order: relaxed; before the next emptying only the consumer follows it. Reports compare
      // copies.
      head.store(next, ordering: .relaxed)
      return next
    }
    return removeLast(item)
  }

  /// Takes out `item`, which seems to be the last one. Consumer only.
  @inlinable
  borrowing func removeLast(_ item: ItemPointer) -> ItemPointer? {
    // order: relaxed; the releasing compare-and-swap below orders it before the store of the
    // producer that will find the list empty.
    head.store(nil, ordering: .relaxed)
    let (emptied, _) = tail.compareExchange(
      expected: item, desired: nil,
      successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, IL1 and IL3
      failureOrdering: .relaxed)
    if emptied { return nil }
    return removeBeforeLink(item)
  }

  /// Waits for the link of a producer that has exchanged `tail`. The link is a few
  /// instructions away, unless that thread was preempted.
  @inline(never) @usableFromInline
  borrowing func removeBeforeLink(_ item: ItemPointer) -> ItemPointer {
    var looks = 0
    while true {
      // order: acquiring, IL2
      if let next = item.pointee.next.load(ordering: .acquiring) {
        head.store(next, ordering: .relaxed)  // order: relaxed; see `removeFirst`.
        return next
      }
      looks += 1
      if looks % 64 == 0 { Parking.yield() } else { csb_spin_hint() }
    }
  }

  /// Forgets all items, linked or not. Call it only if no other thread exists: in a
  /// forked child.
  package borrowing func abandon() {
    // order: relaxed; no other thread exists.
    head.store(nil, ordering: .relaxed)
    tail.store(nil, ordering: .relaxed)  // order: relaxed; see above.
  }

  /// The number of items that can be reached. Consumer only. O(n).
  package borrowing func count() -> Int {
    var count = 0
    var item = first()
    while let current = item {
      count += 1
      item = current.pointee.next.load(ordering: .acquiring)  // order: acquiring, IL2
    }
    return count
  }

  /// Whether an appended item has not been taken out. Any thread.
  package borrowing func mayHold() -> Bool {
    // order: sequentially consistent, IB1
    tail.load(ordering: .sequentiallyConsistent) != nil
  }

  /// Whether `item`, which the caller has appended, is the only one; false if it has been
  /// taken out in the meantime.
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
