// ItemList+Standing — reads a list while no thread removes items from it, or gives its address to
// `ListLook`.

import Synchronization

extension ItemList {
  /// Whether `test` is true of an item that can be reached. The caller must be the consumer, or the
  /// consumer must be in a wait from which it cannot return: see invariant I2 of `WaitRecord`. Each
  /// item costs one unit of `budget`. When the budget is used up, the answer is no.
  package borrowing func containsStanding(
    _ budget: inout Int, where test: (ItemPointer, inout Int) -> Bool
  ) -> Bool {
    var item = first()
    while let current = item, budget > 0 {
      budget -= 1
      if test(current, &budget) { return true }
      item = current.pointee.next.load(ordering: .acquiring)  // order: acquiring, IL2
    }
    return false
  }
}

extension ItemList {
  /// The address of the list, for `ListLook`.
  package borrowing func address() -> UInt { addressOf(head) }
}

private func addressOf(_ head: borrowing Atomic<ItemPointer?>) -> UInt {
  withUnsafePointer(to: head) { UInt(bitPattern: $0) }
}
