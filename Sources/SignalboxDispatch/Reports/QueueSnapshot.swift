// QueueSnapshot — what a report can see of a queue without touching it.
//
// The reporting thread holds the lock of the queue's list, and no reference to the queue. A
// temporary reference could become the last one, if the program releases the queue in between.
// The queue would then be freed under the lock that its deinitializer waits for. Swift's source
// does not show where references are counted, so this code reads a queue as raw memory.
//
// Touching    the queue: only what never changes, what is atomic, and, in an activated queue,
//             what never changes after activation.

import SignalboxRuntime
import Synchronization

/// Byte offsets of the fields that a report reads; identical for every queue.
struct QueueFields {
  fileprivate var place = 0
  fileprivate var state = 0
  fileprivate var list = 0
  fileprivate var checkedIn = 0
  fileprivate var shape = 0
  fileprivate var label = 0
  fileprivate var above = 0

  /// Zero offsets, for a list without queues.
  init() {}

  /// Call it before the queue is published.
  init(of queue: DispatchQueue) {
    let start = queue.address
    place = UnsafeRawPointer(queue.listing) - start
    state = withUnsafePointer(to: queue.state) { UnsafeRawPointer($0) - start }
    list = withUnsafePointer(to: queue.list) { UnsafeRawPointer($0) - start }
    checkedIn = withUnsafePointer(to: queue.checkedIn) { UnsafeRawPointer($0) - start }
    (shape, label, above) = queue.unchangingFields
  }
}

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

  /// Reads the queue with the list's lock held. nil if the queue has nothing to report.
  init?(_ place: QueuePlace.Pointer, _ fields: QueueFields) {
    // SAFETY: see I1 and I2 of `QueueRegistry`; each offset is that of a field of this type.
    let queue = UnsafeRawPointer(place) - fields.place
    let items = (queue + fields.list).assumingMemoryBound(to: ItemList.self)
    // Acquiring, because the activating thread had set the target before.
    state = (queue + fields.state).assumingMemoryBound(to: QueueState.self).pointee.ownersSnapshot
    if state.isIdle && items.pointee.isEmpty() { return nil }
    let forks = (queue + fields.checkedIn).assumingMemoryBound(to: Atomic<UInt32>.self)
    // A queue that this process has not used since the fork holds the parent's items.
    // order: relaxed; a report's hint, as in `isLeftByParent`.
    let known = forks.pointee.load(ordering: .relaxed)
    if Fork.hasHappened && known != Fork.count { return nil }
    id = UInt(bitPattern: queue)
    shape = (queue + fields.shape).assumingMemoryBound(to: DispatchQueue.Shape.self).pointee
    label = QueueSnapshot.label(of: queue, fields)
    target =
      state.isInactive
      ? nil : QueueSnapshot.target(of: queue, fields).map { QueueSnapshot.label(of: $0, fields) }
    list = UInt(bitPattern: items)
    ordered = shape == .workloop ? DispatchWorkloop.ordered(in: queue) : 0
  }

  private static func label(of queue: UnsafeRawPointer, _ fields: QueueFields) -> String {
    // SAFETY: see I1 and I2 of `QueueRegistry`.
    (queue + fields.label).assumingMemoryBound(to: String.self).pointee
  }

  /// A target lives as long as the queues in the list that target it.
  private static func target(
    of queue: UnsafeRawPointer, _ fields: QueueFields
  ) -> UnsafeRawPointer? {
    // SAFETY: see I1 and I2 of `QueueRegistry`; an uncounted reference is the object's address,
    // and nil is 0.
    (queue + fields.above).assumingMemoryBound(to: UnsafeRawPointer?.self).pointee
  }
}

extension QueueState.Snapshot {
  /// Whether the queue has no owner and no invitation under way, and nothing was announced.
  fileprivate var isIdle: Bool {
    !isOwned && !hasShared && !isPending && !isEnlisted && !isGated
  }
}
