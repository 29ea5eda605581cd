// FunctionItem — a submitted C function with its context, and the group it belongs to.
//
// Touching    the submitter before it submits the item, then the thread that runs it.

import SignalboxRuntime

/// A C function that takes a context.
public typealias dispatch_function_t = @convention(c) (UnsafeMutableRawPointer?) -> Void

struct FunctionItem: ~Copyable {
  private let item: Item
  private let function: dispatch_function_t
  private let context: UnsafeMutableRawPointer?
  /// Frees the context when the function has returned; nil if nothing is to be freed.
  private let release: dispatch_function_t?
  /// Kept; the item leaves it when the function has returned.
  private let group: Unmanaged<DispatchGroup>?

  /// Makes an item that calls `function` once and frees itself.
  @inline(__always)
  static func make(
    _ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?,
    release: dispatch_function_t? = nil, flags: Item.Flags, group: Unmanaged<DispatchGroup>?
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
    raw.bindMemory(to: FunctionItem.self, capacity: 1)
      .initialize(to: FunctionItem(function, context, release, flags, group))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  @inline(__always)
  private init(
    _ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?,
    _ release: dispatch_function_t?, _ flags: Item.Flags, _ group: Unmanaged<DispatchGroup>?
  ) {
    self.function = function
    self.context = context
    self.release = release
    self.group = group
    guard let group else {
      item = Item(FunctionItem.run, flags: flags)
      return
    }
    DispatchGroup.enterKept(group)
    item = Item(FunctionItem.runInGroup, flags: flags)
  }

  // MARK: Running

  private static let run: Item.Function = { raw in
    // SAFETY: made by `make`.
    let node = raw.assumingMemoryBound(to: FunctionItem.self)
    let function = node.pointee.function
    let context = node.pointee.context
    let release = node.pointee.release
    // None of the fields is to be destroyed.
    NodeCache.give(raw)
    function(context)
    release?(context)
  }

  private static let runInGroup: Item.Function = { raw in
    // SAFETY: made by `make`.
    let group = raw.assumingMemoryBound(to: FunctionItem.self).pointee.group
    guard let group else { internalBug("an item of a group has none") }
    // The context is freed before the group is left: a thread that waits for the group may rely
    // on that.
    ThreadHold.with(group.toOpaque(), .work) { run(raw) }
    DispatchGroup.leaveKept(group)
  }

  /// Whether `item` is a function in the group at this address.
  static func counts(_ item: ItemPointer, for group: UnsafeRawPointer) -> Bool {
    guard item.pointee.runs(runInGroup) else { return false }
    // SAFETY: the function says that the item is one of these.
    let node = UnsafeMutableRawPointer(item).assumingMemoryBound(to: FunctionItem.self)
    return node.pointee.group.map { UnsafeRawPointer($0.toOpaque()) } == group
  }
}
