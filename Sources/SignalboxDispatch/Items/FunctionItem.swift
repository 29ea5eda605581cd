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
  /// Retained; the item leaves it when the function has returned.
  private let group: Unmanaged<DispatchGroup>?

  /// Makes an item that calls `function` once and frees itself.
  static func make(
    _ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?,
    flags: Item.Flags, group: DispatchGroup?
  ) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
    raw.bindMemory(to: FunctionItem.self, capacity: 1)
      .initialize(to: FunctionItem(function, context, flags, group))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(
    _ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?,
    _ flags: Item.Flags, _ group: DispatchGroup?
  ) {
    self.function = function
    self.context = context
    group?.enter()
    // SAFETY: released when the function has returned.
    self.group = group.map { Unmanaged.passRetained($0) }
    item = Item(
      { raw in
        // SAFETY: made by `make`.
        let node = raw.assumingMemoryBound(to: FunctionItem.self)
        let function = node.pointee.function
        let context = node.pointee.context
        let group = node.pointee.group
        node.deinitialize(count: 1)
        NodeCache.give(raw)
        function(context)
        group?.takeRetainedValue().leave()  // SAFETY: retained by `init`.
      }, flags: flags)
  }
}
