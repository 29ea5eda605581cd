// ClosureItem — a submitted closure, and the group it belongs to.
//
// Touching    the submitter before it submits the item, then the thread that runs it.

import SignalboxRuntime

struct ClosureItem: ~Copyable {
  private let item: MemberItem

  /// The closure, in a struct of its own. As a field, the closure is stored unchanged, while
  /// generic code would wrap a bare closure in another one. The struct is not copyable; otherwise
  /// the compiler would increment and decrement a reference count.
  private struct Work: ~Copyable {
    let call: () -> Void
  }

  /// The offset of the closure in the node, after the other fields. The closure is moved in and out
  /// separately, so that its reference count is never incremented: a submitter that released a
  /// reference after the submission would contend with the thread that runs the closure.
  private static var workOffset: Int { MemoryLayout<ClosureItem>.stride }

  // MARK: Making

  /// Makes an item that runs `work` once and frees itself.
  @inline(__always)
  static func make(
    _ work: consuming @escaping () -> Void, flags: Item.Flags, group: DispatchGroup?
  ) -> ItemPointer {
    let raw = NodeCache.items.take()
    // SAFETY: fresh memory of a node's size; both parts fit in it.
    (raw + workOffset).bindMemory(to: Work.self, capacity: 1).initialize(
      to: Work(call: consume work))
    // SAFETY: the item keeps the group.
    let group = group.map { Unmanaged.passUnretained($0) }
    raw.bindMemory(to: ClosureItem.self, capacity: 1)
      .initialize(
        to: ClosureItem(item: MemberItem(run, flags: flags.union(.captures), group: group)))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  // MARK: Running

  private static let run: Item.Function = { raw in
    let work = ClosureItem.takeWork(raw)
    NodeCache.items.give(raw)
    work.call()
  }

  @inline(__always)
  private static func takeWork(_ raw: UnsafeMutableRawPointer) -> Work {
    // SAFETY: made by `make`.
    (raw + workOffset).assumingMemoryBound(to: Work.self).move()
  }
}
