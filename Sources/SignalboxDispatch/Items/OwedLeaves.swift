// OwedLeaves — members of one group that have ended on this thread, and that the group still
// counts.
//
// Each change of a group's count takes the count's cache line from the threads that submit
// members. So a thread that runs one member after another leaves the group once for all of them.
// This delays no waiting thread: the next member is counted too, so the group is not empty yet. The
// thread leaves the group
// - before it runs anything else, and before it gives up the queue, so that the next owner of the
//   queue finds the group left;
// - before it sleeps in `Parking`, so that a report on a process that hangs does not count members
//   that have ended;
// - when the member itself calls `leave()`, because it may then wait for what that call causes.
//
// Touching    its own thread, in the loop that drains a queue.
// Invariant   OL1  while the count is not 0, the thread runs a member of the group and does not
//                  sleep in `Parking`, or it is about to leave the group and still holds a serial
//                  queue or an item's share of a global one.

import SignalboxRuntime

struct OwedLeaves: ~Copyable {
  /// The address of the record in a thread's stack, from which `PutOffWork` reaches it.
  typealias Pointer = UnsafeMutablePointer<OwedLeaves>

  private let putOff = PutOffWork { raw in
    // SAFETY: the first field of this structure.
    raw.assumingMemoryBound(to: OwedLeaves.self).leave()
  }
  fileprivate var group: Unmanaged<DispatchGroup>?
  fileprivate var count: UInt64 = 0

  /// The maximum number of members that are still counted after they have ended.
  fileprivate static var limit: UInt64 { 64 }

  /// Calls `body`, and then leaves the group that the thread still has to leave.
  @inline(__always)
  static func with(_ body: (Pointer) -> Void) {
    var owed = OwedLeaves()
    withUnsafeMutablePointer(to: &owed) { pointer in
      PutOffWork.with(pointer) { body(pointer) }
      pointer.leave()
    }
  }
}

// These are not methods of the structure: a mutating method would have exclusive access to it, but
// `PutOffWork` may change it while an item runs.
extension OwedLeaves.Pointer {
  /// Whether `item` may run before the group is left.
  @inline(__always)
  func allows(_ item: ItemPointer) -> Bool {
    guard let group = pointee.group else { return true }
    return MemberItem.group(of: item)?.toOpaque() == group.toOpaque()
      && pointee.count < OwedLeaves.limit
  }

  /// Runs `item`, which may run before the group is left.
  ///
  /// - Parameter mayOwe: whether the next item is of the same group and no other worker has taken
  ///   it in the meantime. If not, the group is left within this item, and recordings attribute the
  ///   effects of leaving to the item.
  @inline(__always)
  func run(_ item: ItemPointer, mayOwe: @autoclosure () -> Bool) {
    guard let group = MemberItem.group(of: item) else { return Item.call(item) }
    MemberItem.run(item, in: group)
    pointee.group = group
    pointee.count += 1
    if !mayOwe() { leave() }
  }

  /// Leaves the group for all members that have ended.
  @inline(__always)
  func leave() {
    if let group = pointee.group { leave(group) }
  }

  @inline(never)
  private func leave(_ group: Unmanaged<DispatchGroup>) {
    let count = pointee.count
    pointee.group = nil
    pointee.count = 0
    DispatchGroup.leaveKept(group, members: count)
  }
}
