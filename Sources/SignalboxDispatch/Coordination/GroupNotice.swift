// GroupNotice — a function to call when a group is empty.
//
// A notice is the head of a larger piece of memory, whose layout its function knows. It links
// itself into the group's list, so adding one allocates nothing, and withdrawing one leaves nothing
// behind, however often that happens.
//
// Touching    `function`: set before the notice is added. The rest: under the lock of the
//             `GroupCore` while the notice is listed; then `next`: the thread that emptied the
//             group, until it calls the function. Otherwise the owner of the memory.

import SignalboxRuntime

@usableFromInline
package struct GroupNotice {
  /// The address of a notice at the head of its memory.
  @usableFromInline package typealias Pointer = UnsafeMutablePointer<GroupNotice>
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// Called with the notice's address by the thread that emptied the group, without a lock. It
  /// must not wait.
  let function: Function
  /// The generation of the group that the notice waits for.
  var generation: UInt32 = 0
  var isListed = false
  /// The next older notice.
  var next: Pointer?
  /// The next newer notice.
  var previous: Pointer?

  package init(_ function: @escaping Function) { self.function = function }
}

/// A notice that submits an item and frees itself.
struct ItemNotice {
  private let notice: GroupNotice
  private let queue: DispatchQueue
  private let item: ItemPointer

  static func make(_ queue: DispatchQueue, _ item: ItemPointer) -> GroupNotice.Pointer {
    let pointer = UnsafeMutablePointer<ItemNotice>.allocate(capacity: 1)
    pointer.initialize(to: ItemNotice(notice: GroupNotice(submit), queue: queue, item: item))
    // SAFETY: the notice is the first field.
    return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GroupNotice.self)
  }

  private static let submit: GroupNotice.Function = { raw in
    let pointer = raw.assumingMemoryBound(to: ItemNotice.self)  // SAFETY: made by `make`.
    let contents = pointer.move()
    pointer.deallocate()
    contents.queue.push(contents.item)
  }
}
