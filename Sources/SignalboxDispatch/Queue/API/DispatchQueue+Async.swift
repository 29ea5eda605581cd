// DispatchQueue+Async — work that runs later, in the order of submission.

import SignalboxRuntime

extension DispatchQueue {
  /// Submits `work` and returns at once.
  ///
  /// Any thread may call it. The call costs the memory of what the closure captures, and a reusable
  /// node of 56 bytes. It makes a system call only to wake a thread.
  ///
  /// - Parameters:
  ///   - group: a group that the item leaves when `work` has returned.
  ///   - qos: the quality of service of this item. If it is above the queue's own, the queue is
  ///     drained at the item's quality of service until the item starts. If neither the item nor
  ///     the queue specifies one, the item gets the quality of service of the submitting item.
  ///   - flags: `.barrier` runs the item alone on a concurrent queue; the other flags select
  ///     which quality of service applies.
  ///   - work: the closure to run. It is freed when it has returned.
  public final func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    push(ClosureItem.make(consume work, flags: marks(qos, flags), group: group))
  }

  /// Submits a work item and returns at once. A cancelled item does not run.
  public final func async(execute workItem: DispatchWorkItem) {
    submit(workItem, group: nil)
  }

  /// Submits a work item as a member of `group` and returns at once.
  public final func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {
    submit(workItem, group: group)
  }

  final func submit(_ workItem: DispatchWorkItem, group: DispatchGroup?) {
    push(workItem.makeItem(group: group, marks: marks(workItem.qos, workItem.flags)))
  }
}

extension DispatchWorkItemFlags {
  @inline(__always)
  var itemFlags: Item.Flags { contains(.barrier) ? .barrier : [] }
}
