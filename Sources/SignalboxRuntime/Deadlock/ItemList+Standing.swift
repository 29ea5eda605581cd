// ItemList+Standing — a look through a list from which nobody takes anything.

extension ItemList {
  /// Whether `test` is true of an item among those that can be reached. For the
  /// consumer, or while the consumer stands still: see invariant I2 of
  /// `WaitRecord`. Each item looked at costs one of `budget`; with none left the
  /// answer is no.
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
