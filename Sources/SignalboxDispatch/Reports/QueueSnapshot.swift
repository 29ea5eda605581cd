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
  let lists: QueueLists

  /// Reads the record with the list's lock held. nil if the queue has nothing to report.
  init?(_ record: QueueRecord.Pointer) {
    // This load is acquiring, because the activating thread set the target before it changed the
    // state.
    state = record.pointee.state.ownersSnapshot
    if state.isIdle && record.pointee.list.isEmpty() { return nil }
    if QueueLists.isLeftByParent(record) { return nil }
    id = UInt(bitPattern: record.pointee.queue.toOpaque())
    shape = record.pointee.shape
    label = record.pointee.label
    target = state.isInactive ? nil : QueueRecord.target(of: record)?.pointee.label
    lists = QueueLists(record)
  }
}

extension QueueState.Snapshot {
  /// Whether the queue has no owner and no drain task under way, and nothing was announced.
  fileprivate var isIdle: Bool {
    !isOwned && !hasShared && !isPending && !isScheduled && !isGated
  }
}
