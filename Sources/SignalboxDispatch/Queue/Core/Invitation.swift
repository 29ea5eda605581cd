// Invitation — the item by which a queue asks for a thread.
//
// Touching    `queue`: written once, before the queue is published. The item: the list that holds
//             it; the bit `enlisted` ensures that at most one list does.

import SignalboxRuntime
import Synchronization

struct Invitation: ~Copyable {
  private let item = Item(Invitation.arrive)
  private let queue = Atomic<UnsafeMutableRawPointer?>(nil)

  private static let arrive: Item.Function = { raw in
    // SAFETY: takes over the reference that `ownInvitation` made.
    Invitation.sender(raw).takeRetainedValue().drainInvited()
  }

  private static func sender(_ raw: UnsafeMutableRawPointer) -> Unmanaged<DispatchQueue> {
    // SAFETY: the item is the first field of an invitation.
    let invitation = raw.assumingMemoryBound(to: Invitation.self)
    // order: relaxed; written before the queue was published.
    let queue = invitation.pointee.queue.load(ordering: .relaxed)!
    return Unmanaged<DispatchQueue>.fromOpaque(queue)  // SAFETY: written by `address(to:)`.
  }

  /// The queue whose invitation `item` is, if it is one. The invitation holds a reference to the
  /// queue while it is in a list.
  static func queue(of item: ItemPointer) -> Unmanaged<DispatchQueue>? {
    item.pointee.runs(arrive) ? sender(UnsafeMutableRawPointer(item)) : nil
  }

  static func isOne(_ item: ItemPointer) -> Bool { item.pointee.runs(arrive) }

  /// SAFETY: unretained; the invitation is part of the queue.
  borrowing func address(to queue: DispatchQueue) {
    // order: relaxed; before the queue is published.
    self.queue.store(Unmanaged.passUnretained(queue).toOpaque(), ordering: .relaxed)
  }

  ///
  /// SAFETY: a part of the queue that cannot be copied does not move, as the atomic in it
  /// requires.
  var pointer: ItemPointer {
    withUnsafePointer(to: item) { UnsafeMutablePointer(mutating: $0) }
  }
}

/// The item by which a queue asks for a thread once more, because of an urgent item.
struct UrgentInvitation: ~Copyable {
  private let item: Item
  private let queue: Unmanaged<DispatchQueue>
  /// Makes an invitation that holds a reference to `queue`.
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
