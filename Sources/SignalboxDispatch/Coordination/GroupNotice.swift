// GroupNotice — what is called when a group is empty.
//
// A notice is the head of a larger piece of memory that its function knows. It links
// itself into the group's list, so that setting one allocates nothing, and taking one
// back leaves nothing behind, however often it is done.
//
// Touching    `function`: set before the notice is added. The rest: under the lock of the
//             `GroupCore` while it is listed; then `next`: the thread that emptied the
//             group, until it calls the function. Otherwise whoever owns the memory.

import SignalboxRuntime

@usableFromInline
package struct GroupNotice {
  /// The address of a notice at the head of its memory.
  @usableFromInline package typealias Pointer = UnsafeMutablePointer<GroupNotice>
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// Called with the notice's address by the thread that emptied the group, without a lock;
  /// must not wait.
  let function: Function
  /// The use of the group whose end it waits for.
  var generation: UInt32 = 0
  var isListed = false
  /// Towards the older one.
  var next: Pointer?
  /// Towards the newer one.
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
