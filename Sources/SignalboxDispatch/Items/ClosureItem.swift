// ClosureItem — a closure on its way, and the group it belongs to.
//
// Touching    the submitter before it hands the item over, then whoever runs it.

import SignalboxRuntime

struct ClosureItem: ~Copyable {
  private let item: Item
  /// Retained; left when the closure has returned.
  private let group: Unmanaged<DispatchGroup>?

  /// The closure, in a struct of its own: as a field it is stored as it is,
  /// while handed to generic code by itself it would be wrapped in another one.
  /// Not copyable, or the compiler counts a reference up and down again.
  private struct Work: ~Copyable {
    let call: () -> Void
  }

  /// Where the closure stands in the node, behind the rest. It is moved in and
  /// out alone, so that no reference to it is ever counted up: a submitter that
  /// released one after the hand-over would fight with the thread that runs it.
  private static var workOffset: Int { MemoryLayout<ClosureItem>.stride }

  // MARK: Making

  /// Makes an item that runs `work` once and frees itself.
  @inline(__always)
  static func make(
    _ work: consuming @escaping () -> Void, flags: Item.Flags, group: DispatchGroup?
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which both together do not exceed.
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
    group.enter()
    self.group = Unmanaged.passRetained(group)  // SAFETY: released when the closure has returned.
    item = Item(ClosureItem.runInGroup, flags: flags)
  }

  // MARK: Running

  private static let run: Item.Function = { raw in
    let work = ClosureItem.takeWork(raw)
    NodeCache.give(raw)
    work.call()
  }

  private static let runInGroup: Item.Function = { raw in
    // SAFETY: made by `make`; retained by `init`.
    let group = raw.assumingMemoryBound(to: ClosureItem.self).pointee.group
    guard let group else { internalBug("an item of a group has none") }
    // What the closure captured is freed before the group is left: who waits
    // for the group may count on that.
    ThreadHold.with(group.toOpaque(), .work) { ClosureItem.runAndFree(raw) }
    group.takeRetainedValue().leave()
  }

  /// Whether `item` is a closure in the group at this address.
  static func counts(_ item: ItemPointer, for group: UnsafeRawPointer) -> Bool {
    guard item.pointee.runs(runInGroup) else { return false }
    // SAFETY: the function says so.
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
