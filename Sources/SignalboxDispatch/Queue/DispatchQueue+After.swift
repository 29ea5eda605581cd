// DispatchQueue+After — work that is submitted when its time has come.

import SignalboxRuntime

extension DispatchQueue {
  /// Submits `work` when `deadline` has passed: never earlier, and on an idle machine later
  /// by a hundredth of the delay at most, or a millisecond if that is less: items that are
  /// due at about the same time share a wake-up.
  ///
  /// The deadline counts uptime: steps of the wall clock do not move it.
  public final func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    let item = ClosureItem.make(consume work, flags: marks(qos, flags), group: nil)
    DelayedItem.submit(item, to: self, at: deadline.deadline)
  }

  /// Submits `work` when the wall clock has passed `wallDeadline`: it follows
  /// every step of that clock.
  public final func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], execute work: consuming @escaping @Sendable () -> Void
  ) {
    let item = ClosureItem.make(consume work, flags: marks(qos, flags), group: nil)
    DelayedItem.submit(item, to: self, at: wallDeadline.deadline)
  }

  /// Submits a work item when `deadline` has passed. Cancelling the item takes
  /// its timers back and frees its captures at once.
  public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
    DelayedItem.submit(execute, to: self, at: deadline.deadline)
  }

  /// Submits a work item when the wall clock has passed `wallDeadline`.
  /// Cancelling the item takes the timer back and frees its captures at once.
  public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
    DelayedItem.submit(execute, to: self, at: wallDeadline.deadline)
  }
}
