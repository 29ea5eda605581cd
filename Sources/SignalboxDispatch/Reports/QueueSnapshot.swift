// QueueSnapshot — what a report can see of a queue without touching it.
//
// The reporting thread holds the lock of the queue's list, and no reference to the queue.

import SignalboxRuntime

struct QueueSnapshot {
  /// The queue's address, for comparisons.
  let id: UInt
  let label: String
  let shape: DispatchQueue.Shape
  let state: QueueState.Snapshot
  /// The label of its target, if it has one.
  let target: String?
  /// The address of its list, for `ListLook`.
  let list: UInt
  /// The address of a workloop's ordered lists; 0 for other queues.
  let ordered: UInt

  /// Reads the record with the list's lock held. nil if the queue has nothing to report.
  init?(_ record: QueueRecord.Pointer) {
    // Acquiring, because the activating thread had set the target before.
    state = record.pointee.state.ownersSnapshot
    if state.isIdle && record.pointee.list.isEmpty() { return nil }
    // A queue that this process has not used since the fork holds the parent's items.
    // order: relaxed; a report's hint, as in `isLeftByParent`.
    let known = record.pointee.head.forkCount.load(ordering: .relaxed)
    if Fork.hasHappened && known != Fork.count { return nil }
    id = UInt(bitPattern: record.pointee.queue.toOpaque())
    shape = record.pointee.shape
    label = record.pointee.label
    target = state.isInactive ? nil : QueueRecord.target(of: record)?.pointee.label
    list = withUnsafePointer(to: record.pointee.list) { UInt(bitPattern: $0) }
    ordered = record.pointee.ordered
  }
}

extension QueueState.Snapshot {
  /// Whether the queue has no owner and no drain task under way, and nothing was announced.
  fileprivate var isIdle: Bool {
    !isOwned && !hasShared && !isPending && !isScheduled && !isGated
  }
}
