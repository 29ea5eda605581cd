// PlacedItem — an item in the memory of its context, after the part that the function uses.
//
// Touching    the submitter before it submits the item, then the thread that runs it.

import SignalboxRuntime

@usableFromInline
package enum PlacedItem {
  /// The bytes that the item takes.
  @inlinable @inline(__always) package static var size: Int { 32 }

  /// Makes an item at `place` that calls `run` once with its own address.
  @inline(__always)
  static func make(
    at place: UnsafeMutableRawPointer, _ run: @escaping Item.Function, flags: Item.Flags,
    group: Unmanaged<DispatchGroup>?
  ) -> ItemPointer {
    assert(MemoryLayout<MemberItem>.size == size)
    // SAFETY: the caller's memory, which nobody else uses.
    place.bindMemory(to: MemberItem.self, capacity: 1)
      .initialize(to: MemberItem(run, flags: flags.union(.behindContext), group: group))
    return place.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }
}
