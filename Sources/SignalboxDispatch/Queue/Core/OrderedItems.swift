// OrderedItems — the items of a workloop, by class, each class in order.
//
// Touching    the owner of the workloop only.
// Invariants  I1  while any item is here, the workloop has an owner or is pending.

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

  /// The address of the lists, which are contiguous; for `ListLook`.
  var address: UInt { UInt(bitPattern: lists) }

  /// Appends `item` to the list of its class; an item without one belongs to the class of
  /// `baseLevel`.
  borrowing func append(_ item: ItemPointer, baseLevel: Urgency) {
    let band = item.pointee.flags.urgency.or(baseLevel).band ?? .standard
    _ = lists[Int(band.rawValue)].append(item)
  }

  /// The oldest item of the most urgent class.
  borrowing func first() -> ItemPointer? {
    for index in (0..<Band.count).reversed() {
      if let item = lists[index].first() { return item }
    }
    return nil
  }

  /// Removes `item`, which `first()` returned.
  borrowing func removeFirst(_ item: ItemPointer) {
    for index in 0..<Band.count where lists[index].first() == item {
      lists[index].removeFirst(item)
      return
    }
  }

  /// Forgets all items, which belong to the process that this one was forked from.
  borrowing func abandon() {
    for index in 0..<Band.count { lists[index].abandon() }
  }

  borrowing func count() -> Int {
    (0..<Band.count).reduce(0) { $0 + lists[$1].count() }
  }
}
