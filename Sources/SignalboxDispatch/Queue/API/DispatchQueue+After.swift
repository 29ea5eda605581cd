// DispatchQueue+After — submits work at a later time.

import SignalboxRuntime

extension DispatchQueue {
  /// Submits `work` when `deadline` has passed, never earlier.
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
    let item = ClosureItem.make(consume work, flags: marks(qos, flags), group: nil)
    DelayedItem.submit(item, to: self, at: deadline.deadline)
  }

  /// Submits `work` when the wall clock has passed `wallDeadline`. The deadline follows every
  /// step of that clock.
  public final func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], execute work: consuming @escaping @Sendable () -> Void
  ) {
    let item = ClosureItem.make(consume work, flags: marks(qos, flags), group: nil)
    DelayedItem.submit(item, to: self, at: wallDeadline.deadline)
  }

  /// Submits a work item when `deadline` has passed. If you cancel the item, its timers are
  /// removed and its captures freed at once.
  public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
    DelayedItem.submit(execute, to: self, at: deadline.deadline)
  }

  /// Submits a work item when the wall clock has passed `wallDeadline`. If you cancel the item,
  /// its timer is removed and its captures freed at once.
  public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
    DelayedItem.submit(execute, to: self, at: wallDeadline.deadline)
  }
}
