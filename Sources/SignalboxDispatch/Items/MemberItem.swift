// MemberItem — the beginning of an item that may belong to a group.
//
// The item's function does not know the group. The thread that runs the item leaves the group: at
// once, or together with the next member (`OwedLeaves`).
//
// Touching    the submitter before it submits the item, then the thread that runs it.

import SignalboxRuntime

struct MemberItem: ~Copyable {
  private let item: Item
  /// Retained. Nil unless the item's flags say that it is a member.
  private let group: Unmanaged<DispatchGroup>?

  /// Enters the group.
  @inline(__always)
  init(_ function: @escaping Item.Function, flags: Item.Flags, group: Unmanaged<DispatchGroup>?) {
    self.group = group
    guard let group else {
      item = Item(function, flags: flags)
      return
    }
    DispatchGroup.enterKept(group)
    item = Item(function, flags: flags.union(.member))
  }

  /// The group of `item`; nil if it has none.
  @inline(__always)
  static func group(of item: ItemPointer) -> Unmanaged<DispatchGroup>? {
    guard item.pointee.flags.contains(.member) else { return nil }
    // SAFETY: the flag says that the item is the beginning of this structure.
    return UnsafeMutableRawPointer(item).assumingMemoryBound(to: MemberItem.self).pointee.group
  }

  /// Whether both items are members of one group. `next` is still in its list.
  @inline(__always)
  static func areOfOneGroup(_ item: ItemPointer, _ next: ItemPointer?) -> Bool {
    guard let next, let group = MemberItem.group(of: item) else { return false }
    return MemberItem.group(of: next)?.toOpaque() == group.toOpaque()
  }

  /// Whether `item` is a member of the group at this address.
  static func counts(_ item: ItemPointer, for group: UnsafeRawPointer) -> Bool {
    MemberItem.group(of: item).map { UnsafeRawPointer($0.toOpaque()) } == group
  }

  /// Runs a member of `group`; the caller then leaves the group. What the item captures is freed
  /// before this returns, because a thread that waits for the group may rely on that.
  @inline(never)
  static func run(_ item: ItemPointer, in group: Unmanaged<DispatchGroup>) {
    ThreadHold.with(group.toOpaque(), .work) { Item.call(item) }
    Probe.groupLeft(group.toOpaque())
  }

  /// Runs any item, and leaves its group if it has one.
  @inline(__always)
  static func runAndLeave(_ item: ItemPointer) {
    guard let group = MemberItem.group(of: item) else { return Item.call(item) }
    MemberItem.run(item, in: group)
    DispatchGroup.leaveKept(group, members: 1)
  }
}
