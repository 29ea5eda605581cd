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
  ///     served earlier for its sake, unless it has a target of its own.
  ///   - flags: with `.barrier` it runs alone on a concurrent queue.
  ///   - work: what to run. It is freed when it has returned.
  public final func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    let item = ClosureItem.make(consume work, flags: flags.itemFlags, group: group)
    if qos.qosClass == .unspecified {
      push(item)
    } else {
      push(item, qos: qos, flags: flags)
    }
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
    push(workItem.makeItem(group: group), qos: workItem.qos, flags: workItem.flags)
  }

  /// Appends an item that is more or less urgent than the queue.
  final func push(_ item: ItemPointer, qos: DispatchQoS, flags: DispatchWorkItemFlags) {
    guard let urgent = qos.qosClass.band, flags.isDisjoint(with: [.noQoS, .inheritQoS]),
      urgent > band
    else {
      return push(item)
    }
    if shape == .global {
      // Global queues differ in nothing but their band.
      return DispatchQueue.global(qos: qos.qosClass).push(item)
    }
    push(item)
    if shape != .main && !state.ownersSnapshot.isInactive && target == nil {
      Engine.current.pool.submitShared(UrgentInvitation.make(for: self), band: urgent)
    }
  }
}

extension DispatchWorkItemFlags {
  @inline(__always)
  var itemFlags: Item.Flags { contains(.barrier) ? .barrier : [] }
}
