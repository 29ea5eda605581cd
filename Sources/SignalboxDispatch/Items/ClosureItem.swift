// ClosureItem — a submitted closure, and the group it belongs to.
//
// Touching    the submitter before it submits the item, then the thread that runs it.

import SignalboxRuntime

struct ClosureItem: ~Copyable {
  private let item: Item
  /// Kept; the item leaves it when the closure has returned.
  private let group: Unmanaged<DispatchGroup>?

  /// The closure, in a struct of its own. As a field the closure is stored unchanged, while
  /// generic code would wrap a bare closure in another one. The struct is not copyable; otherwise
  /// the compiler would increment and decrement a reference count.
  private struct Work: ~Copyable {
    let call: () -> Void
  }

  /// The offset of the closure in the node, after the other fields. The closure is moved in and
  /// out by itself, so that its reference count is never incremented: a submitter that released
  /// a reference after the submission would contend with the thread that runs the closure.
  private static var workOffset: Int { MemoryLayout<ClosureItem>.stride }

  // MARK: Making

  /// Makes an item that runs `work` once and frees itself.
  @inline(__always)
  static func make(
    _ work: consuming @escaping () -> Void, flags: Item.Flags, group: DispatchGroup?
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size; both parts fit in it.
    (raw + workOffset).bindMemory(to: Work.self, capacity: 1).initialize(
      to: Work(call: consume work))
    raw.bindMemory(to: ClosureItem.self, capacity: 1)
      .initialize(to: ClosureItem(flags: flags, group: group))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  @inline(__always)
  private init(flags: Item.Flags, group: DispatchGroup?) {
    guard let group else {
      self.group = nil
      item = Item(ClosureItem.run, flags: flags)
      return
    }
    let kept = Unmanaged.passUnretained(group)  // SAFETY: the next line keeps it.
    DispatchGroup.enterKept(kept)
    self.group = kept
    item = Item(ClosureItem.runInGroup, flags: flags)
  }

  // MARK: Running

  private static let run: Item.Function = { raw in
    let work = ClosureItem.takeWork(raw)
    NodeCache.give(raw)
    work.call()
  }

  private static let runInGroup: Item.Function = { raw in
    // SAFETY: made by `make`.
    let group = raw.assumingMemoryBound(to: ClosureItem.self).pointee.group
    guard let group else { internalBug("an item of a group has none") }
    // The captures of the closure are freed before the group is left: a thread that waits for the
    // group may rely on that.
    ThreadHold.with(group.toOpaque(), .work) { ClosureItem.runAndFree(raw) }
    DispatchGroup.leaveKept(group)
  }

  /// Whether `item` is a closure in the group at this address.
  static func counts(_ item: ItemPointer, for group: UnsafeRawPointer) -> Bool {
    guard item.pointee.runs(runInGroup) else { return false }
    // SAFETY: the function says that the item is a closure.
    let closure = UnsafeMutableRawPointer(item).assumingMemoryBound(to: ClosureItem.self)
    return closure.pointee.group.map { UnsafeRawPointer($0.toOpaque()) } == group
  }

  @inline(never)
  private static func runAndFree(_ raw: UnsafeMutableRawPointer) { run(raw) }

  @inline(__always)
  private static func takeWork(_ raw: UnsafeMutableRawPointer) -> Work {
    // SAFETY: made by `make`.
    (raw + workOffset).assumingMemoryBound(to: Work.self).move()
  }
}
