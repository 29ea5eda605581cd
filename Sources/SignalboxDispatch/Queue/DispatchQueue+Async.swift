// DispatchQueue+Async — work that runs later, in the order of submission.

import SignalboxRuntime

extension DispatchQueue {
  /// Submits `work` and returns at once.
  ///
  /// From any thread. It costs the memory of what the closure captures and one
  /// node of 56 bytes that is re-used; a system call only if a thread must be
  /// woken.
  ///
  /// - Parameters:
  ///   - group: left when the work has returned.
  ///   - qos: how urgent this item is. If more so than its queue, the queue is
  ///     served as urgently for its sake. If nothing is said, and the queue says
  ///     nothing either, the item is as urgent as the one that submits it.
  ///   - flags: with `.barrier` it runs alone on a concurrent queue; the others
  ///     say which quality of service counts.
  ///   - work: what to run. It is freed when it has returned.
  public final func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    push(ClosureItem.make(consume work, flags: marks(qos, flags), group: group))
  }

  /// Submits a work item and returns at once. A cancelled one is not run.
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
