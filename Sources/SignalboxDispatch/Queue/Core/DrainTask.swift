// DrainTask — the item by which a queue asks for a thread.
//
// Touching    the item: the list that holds it; the bit `scheduled` ensures that at most one list
//             does.

import SignalboxRuntime

struct DrainTask: ~Copyable {
  private let item = Item(DrainTask.arrive)
  /// Written once, by the thread that makes the queue, before it is published.
  private let queue = SingleWriter<UnsafeMutableRawPointer?>(nil)

  private static let arrive: Item.Function = { raw in
    // SAFETY: takes over the reference that `ownDrainTask` made.
    DrainTask.sender(raw).takeRetainedValue().drainScheduled()
  }

  private static func sender(_ raw: UnsafeMutableRawPointer) -> Unmanaged<DispatchQueue> {
    // SAFETY: the item is the first field of a drain task.
    raw.assumingMemoryBound(to: DrainTask.self).pointee.sender
  }

  /// The queue to which the drain task belongs.
  var sender: Unmanaged<DispatchQueue> {
    // SAFETY: written by `address(to:)`.
    Unmanaged<DispatchQueue>.fromOpaque(queue.load()!)
  }

  /// The address of the word that holds the queue's address.
  var senderAddress: UnsafeRawPointer { addressOfWord(queue) }

  /// The queue whose drain task `item` is, if it is one. The drain task holds a reference to the
  /// queue while it is in a list.
  static func queue(of item: ItemPointer) -> Unmanaged<DispatchQueue>? {
    item.pointee.runs(arrive) ? sender(UnsafeMutableRawPointer(item)) : nil
  }

  static func isOne(_ item: ItemPointer) -> Bool { item.pointee.runs(arrive) }

  /// Records the queue whose drain task this is.
  ///
  /// SAFETY: unretained; the drain task is part of the queue.
  borrowing func address(to queue: DispatchQueue) {
    self.queue.store(Unmanaged.passUnretained(queue).toOpaque())
  }

  /// The address of the item.
  ///
  /// SAFETY: a part of the queue that cannot be copied does not move, as the atomic in it
  /// requires.
  var pointer: ItemPointer {
    withUnsafePointer(to: item) { UnsafeMutablePointer(mutating: $0) }
  }
}

/// The item by which a queue asks for a thread once more, because of an urgent item.
struct UrgentDrainTask: ~Copyable {
  private let item: Item
  private let queue: Unmanaged<DispatchQueue>

  /// Makes a drain task that holds a reference to `queue`.
  static func make(for queue: DispatchQueue, at urgency: Urgency) -> ItemPointer {
    let raw = NodeCache.items.take()
    let drainTask = raw.bindMemory(to: UrgentDrainTask.self, capacity: 1)
    drainTask.initialize(to: UrgentDrainTask(queue, urgency))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ queue: DispatchQueue, _ urgency: Urgency) {
    self.queue = Unmanaged.passRetained(queue)  // SAFETY: released when the drain task arrives.
    item = Item(UrgentDrainTask.arrive, flags: Item.Flags(urgency).union(.drainTask))
  }

  private static let arrive: Item.Function = { raw in
    // SAFETY: made by `make`.
    let drainTask = raw.assumingMemoryBound(to: UrgentDrainTask.self)
    let queue = drainTask.pointee.queue.takeRetainedValue()
    drainTask.deinitialize(count: 1)
    NodeCache.items.give(raw)
    queue.drainUrgently()
  }

  static func isOne(_ item: ItemPointer) -> Bool { item.pointee.runs(arrive) }
}
