// Invitation — the item by which a queue asks to be served.
//
// Touching    `queue`: written once, before the queue is known to others. The
//             item: the list it stands in; it stands in one at most, which the
//             bit `enlisted` sees to.

import SignalboxRuntime
import Synchronization

struct Invitation: ~Copyable {
  private let item = Item(Invitation.arrive)
  private let queue = Atomic<UnsafeMutableRawPointer?>(nil)

  private static let arrive: Item.Function = { raw in
    // SAFETY: takes over the reference that `enlist` made.
    Invitation.sender(raw).takeRetainedValue().drainInvited()
  }

  private static func sender(_ raw: UnsafeMutableRawPointer) -> Unmanaged<DispatchQueue> {
    // SAFETY: the item is the first field of an invitation.
    let invitation = raw.assumingMemoryBound(to: Invitation.self)
    // order: relaxed; written before the queue was published.
    let queue = invitation.pointee.queue.load(ordering: .relaxed)!
    return Unmanaged<DispatchQueue>.fromOpaque(queue)  // SAFETY: written by `address(to:)`.
  }

  /// The queue whose invitation `item` is, if it is one. It has a reference as
  /// long as it stands in a list.
  static func queue(of item: ItemPointer) -> Unmanaged<DispatchQueue>? {
    item.pointee.runs(arrive) ? sender(UnsafeMutableRawPointer(item)) : nil
  }

  static func isOne(_ item: ItemPointer) -> Bool { item.pointee.runs(arrive) }

  /// SAFETY: unretained; the invitation is a part of the queue.
  borrowing func address(to queue: DispatchQueue) {
    // order: relaxed; before the queue is published.
    self.queue.store(Unmanaged.passUnretained(queue).toOpaque(), ordering: .relaxed)
  }

  /// The item's address.
  ///
  /// SAFETY: a part of the queue that cannot be copied stays where it is, as
  /// the atomic in it must.
  var pointer: ItemPointer {
    withUnsafePointer(to: item) { UnsafeMutablePointer(mutating: $0) }
  }
}

/// The item by which a queue asks once more, for an urgent item's sake.
struct UrgentInvitation: ~Copyable {
  private let item: Item
  private let queue: Unmanaged<DispatchQueue>
  /// Makes one that holds a reference to `queue`.
  static func make(for queue: DispatchQueue, at urgency: Urgency) -> ItemPointer {
    let raw = NodeCache.take()
    let invitation = raw.bindMemory(to: UrgentInvitation.self, capacity: 1)
    invitation.initialize(to: UrgentInvitation(queue, urgency))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ queue: DispatchQueue, _ urgency: Urgency) {
    self.queue = Unmanaged.passRetained(queue)  // SAFETY: released when the invitation arrives.
    item = Item(UrgentInvitation.arrive, flags: Item.Flags(urgency).union(.invitation))
  }

  private static let arrive: Item.Function = { raw in
    // SAFETY: made by `make`.
    let invitation = raw.assumingMemoryBound(to: UrgentInvitation.self)
    let queue = invitation.pointee.queue.takeRetainedValue()
    invitation.deinitialize(count: 1)
    NodeCache.give(raw)
    queue.drainUrgently()
  }

  static func isOne(_ item: ItemPointer) -> Bool { item.pointee.runs(arrive) }
}
