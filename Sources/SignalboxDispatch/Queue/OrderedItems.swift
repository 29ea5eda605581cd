// OrderedItems — the items of a workloop, by class, each class in order.
//
// Touching    the owner of the workloop only.
// Invariants  I1  while it is not empty the workloop has an owner, or is pending.

import SignalboxRuntime

struct OrderedItems: ~Copyable {
  /// A list for each class, least urgent first.
  private let lists: UnsafeMutablePointer<ItemList>

  init() {
    lists = .allocate(capacity: Band.count)
    for index in 0..<Band.count { (lists + index).initialize(to: ItemList()) }
  }

  deinit {
    lists.deinitialize(count: Band.count)
    lists.deallocate()
  }

  /// Where the lists stand, one behind the other: for `ListLook`.
  var address: UInt { UInt(bitPattern: lists) }

  /// Puts `item` behind those of its class; one that says nothing is of `rest`.
  borrowing func append(_ item: ItemPointer, rest: Urgency) {
    let band = item.pointee.flags.urgency.or(rest).band ?? .standard
    _ = lists[Int(band.rawValue)].append(item)
  }

  /// The oldest of the most urgent class.
  borrowing func first() -> ItemPointer? {
    for index in (0..<Band.count).reversed() {
      if let item = lists[index].first() { return item }
    }
    return nil
  }

  /// Takes out `item`, which `first()` gave.
  borrowing func removeFirst(_ item: ItemPointer) {
    for index in 0..<Band.count where lists[index].first() == item {
      lists[index].removeFirst(item)
      return
    }
  }

  /// Forgets all, which belong to the process that this one was forked from.
  borrowing func abandon() {
    for index in 0..<Band.count { lists[index].abandon() }
  }

  borrowing func count() -> Int {
    (0..<Band.count).reduce(0) { $0 + lists[$1].count() }
  }
}
