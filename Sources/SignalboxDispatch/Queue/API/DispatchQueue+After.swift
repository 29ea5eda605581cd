// DispatchQueue+After — submits work at a later time.

import SignalboxRuntime

extension DispatchQueue {
  /// Submits `work` when `deadline` has passed, never earlier.
  ///
  /// If the deadline has passed already, the call submits `work` before it returns, as `async`
  /// does. If the deadline is `distantFuture`, `work` never runs and is freed at once.
  ///
  /// Items that are due at about the same time share a wake-up if separate wake-ups would cost more
  /// than a hundredth of a processor. An item that shares one is late by at most a hundredth of the
  /// longest delay among these items, or by a millisecond if that is less. Otherwise, the
  /// submission is late only by the time that the machine needs. The deadline counts uptime, so
  /// steps of the wall clock do not move it.
  public final func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    push(consume work, marks(qos, flags), at: deadline.deadline)
  }

  /// Submits `work` when the wall clock has passed `wallDeadline`, or at once if it has passed it
  /// already. The deadline follows every step of that clock.
  public final func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], execute work: consuming @escaping @Sendable () -> Void
  ) {
    push(consume work, marks(qos, flags), at: wallDeadline.deadline)
  }

  /// Submits a work item when `deadline` has passed, or at once if it has passed already. If you
  /// cancel the item, its timers are removed and its captures freed at once. So an item with the
  /// deadline `distantFuture` is kept until you cancel it.
  public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
    push(execute, at: deadline.deadline)
  }

  /// Submits a work item when the wall clock has passed `wallDeadline`, or at once if it has passed
  /// it already. If you cancel the item, its timer is removed and its captures freed at once.
  public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
    push(execute, at: wallDeadline.deadline)
  }

  // MARK: Now, later or never

  private func push(
    _ work: consuming @escaping @Sendable () -> Void, _ marks: Item.Flags, at deadline: Deadline
  ) {
    if deadline.isNever { return }
    push(ClosureItem.make(consume work, flags: marks, group: nil), at: deadline)
  }

  /// Submits the item at `deadline`, which is not never. If it has passed, the item is in the queue
  /// when the call returns, before all items that this thread submits afterwards.
  final func push(_ item: ItemPointer, at deadline: Deadline) {
    guard deadline.hasPassed else { return DelayedItem.submit(item, to: self, at: deadline) }
    item.pointee.flags.insert(.delayed)
    push(item)
  }

  /// A deadline of never keeps the work item: cancelling it must still end it.
  private func push(_ workItem: DispatchWorkItem, at deadline: Deadline) {
    guard deadline.hasPassed else { return DelayedItem.submit(workItem, to: self, at: deadline) }
    let flags = marks(workItem.qos, workItem.flags).union(.delayed)
    push(workItem.makeItem(group: nil, marks: flags))
  }
}
