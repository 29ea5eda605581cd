// ClosureItem — a closure on its way, and the group it belongs to.
//
// Touching    the submitter before it hands the item over, then whoever runs it.

import SignalboxRuntime

struct ClosureItem: ~Copyable {
  private let item: Item
  private let work: () -> Void
  /// Retained; left when the closure has returned.
  private let group: Unmanaged<DispatchGroup>?

  /// Makes an item that runs `work` once and frees itself.
  @inline(__always)
  static func make(
    _ work: consuming @escaping () -> Void, flags: Item.Flags, group: DispatchGroup?
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which this type does not exceed.
    let closure = raw.bindMemory(to: ClosureItem.self, capacity: 1)
    closure.initialize(to: ClosureItem(work, flags: flags, group: group))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ work: consuming @escaping () -> Void, flags: Item.Flags, group: DispatchGroup?) {
    self.work = work
    if let group {
      group.enter()
      self.group = Unmanaged.passRetained(group)  // SAFETY: released when the closure has returned.
      item = Item(ClosureItem.runInGroup, flags: flags)
    } else {
      self.group = nil
      item = Item(ClosureItem.run, flags: flags)
    }
  }

  private consuming func unpack() -> (work: () -> Void, group: Unmanaged<DispatchGroup>?) {
    (work, group)
  }

  private static let run: Item.Function = { raw in _ = ClosureItem.callOnce(raw) }

  private static let runInGroup: Item.Function = { raw in
    // What the closure captured is freed before the group is left: who waits
    // for the group may count on that. SAFETY: retained by `init`.
    ClosureItem.callOnce(raw)?.takeRetainedValue().leave()
  }

  /// Runs the closure and frees it.
  ///
  /// - Returns: the group to leave.
  @inline(__always)
  private static func callOnce(_ raw: UnsafeMutableRawPointer) -> Unmanaged<DispatchGroup>? {
    let (work, group) = take(raw)
    work()
    return group
  }

  /// Moves the contents out and gives the memory back.
  @inline(__always)
  private static func take(
    _ raw: UnsafeMutableRawPointer
  ) -> (work: () -> Void, group: Unmanaged<DispatchGroup>?) {
    // SAFETY: made by `make`.
    let contents = raw.assumingMemoryBound(to: ClosureItem.self).move().unpack()
    NodeCache.give(raw)
    return contents
  }
}
