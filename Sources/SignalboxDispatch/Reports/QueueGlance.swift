// QueueGlance — what could be seen of a queue without touching it.
//
// Whoever looks has the lock of the queue's list, and no reference to the queue. One that was
// made for a moment could become the last: the program lets go of the queue meanwhile, which
// then ends where that reference goes, under the lock, for which its end waits. The source of
// Swift does not say where references are counted, so a queue is read here as memory.
//
// Touching    the queue: only what never changes, what is atomic, and, of one that was
//             activated, what never changes from then on.

import SignalboxRuntime
import Synchronization

/// Where in a queue that stands which a report looks at, in bytes from its address: the same in
/// each.
struct QueueFields {
  fileprivate var place = 0
  fileprivate var state = 0
  fileprivate var list = 0
  fileprivate var checkedIn = 0
  fileprivate var shape = 0
  fileprivate var label = 0
  fileprivate var above = 0

  /// Of no queue.
  init() {}

  /// Before anybody knows the queue.
  init(of queue: DispatchQueue) {
    let start = queue.address
    place = UnsafeRawPointer(queue.listing) - start
    state = withUnsafePointer(to: queue.state) { UnsafeRawPointer($0) - start }
    list = withUnsafePointer(to: queue.list) { UnsafeRawPointer($0) - start }
    checkedIn = withUnsafePointer(to: queue.checkedIn) { UnsafeRawPointer($0) - start }
    (shape, label, above) = queue.unchangingFields
  }
}

struct QueueGlance {
  /// Its address: to compare.
  let id: UInt
  let label: String
  let shape: DispatchQueue.Shape
  let state: QueueState.Snapshot
  /// The label of its target, if it was given one.
  let target: String?
  /// Where its list stands, for `ListLook`.
  let list: UInt
  /// The same of a workloop's lists of items in order; 0 for none.
  let ordered: UInt

  /// Under the lock of its list: nil if nothing is to be said of it.
  init?(_ place: QueuePlace.Pointer, _ fields: QueueFields) {
    // SAFETY: see I1 and I2 of `QueueRegistry`; each field is what stands at its place.
    let queue = UnsafeRawPointer(place) - fields.place
    let items = (queue + fields.list).assumingMemoryBound(to: ItemList.self)
    // Acquiring: whoever activated the queue had given it its target.
    state = (queue + fields.state).assumingMemoryBound(to: QueueState.self).pointee.ownersSnapshot
    if state.isIdle && items.pointee.isEmpty() { return nil }
    let forks = (queue + fields.checkedIn).assumingMemoryBound(to: Atomic<UInt32>.self)
    // What stands in it is the parent's.
    // order: relaxed; a report's hint, as in `isLeftByParent`.
    let known = forks.pointee.load(ordering: .relaxed)
    if Fork.hasHappened && known != Fork.count { return nil }
    id = UInt(bitPattern: queue)
    shape = (queue + fields.shape).assumingMemoryBound(to: DispatchQueue.Shape.self).pointee
    label = QueueGlance.label(of: queue, fields)
    target =
      state.isInactive
      ? nil : QueueGlance.target(of: queue, fields).map { QueueGlance.label(of: $0, fields) }
    list = UInt(bitPattern: items)
    ordered = shape == .workloop ? DispatchWorkloop.ordered(in: queue) : 0
  }

  private static func label(of queue: UnsafeRawPointer, _ fields: QueueFields) -> String {
    // SAFETY: as above.
    (queue + fields.label).assumingMemoryBound(to: String.self).pointee
  }

  /// A target lives as long as what stands in the list.
  private static func target(
    of queue: UnsafeRawPointer, _ fields: QueueFields
  ) -> UnsafeRawPointer? {
    // SAFETY: as above; a reference that is not counted is its object's address, and none is 0.
    (queue + fields.above).assumingMemoryBound(to: UnsafeRawPointer?.self).pointee
  }
}

extension QueueState.Snapshot {
  /// Whether nobody holds it or is about to, and nothing was announced.
  fileprivate var isIdle: Bool {
    !isOwned && !hasShared && !isPending && !isEnlisted && !isGated
  }
}
