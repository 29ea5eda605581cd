// FunctionItem — a submitted C function with its context, and the group it belongs to.
//
// Touching    the submitter before it submits the item, then the thread that runs it.

import SignalboxRuntime

/// A C function that takes a context.
public typealias dispatch_function_t = @convention(c) (UnsafeMutableRawPointer?) -> Void

struct FunctionItem: ~Copyable {
  private let item: MemberItem
  private let function: dispatch_function_t
  private let context: UnsafeMutableRawPointer?
  /// Frees the context when the function has returned; nil if nothing is to be freed.
  private let release: dispatch_function_t?

  /// Makes an item that calls `function` once and frees itself.
  @inline(__always)
  static func make(
    _ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?,
    release: dispatch_function_t? = nil, flags: Item.Flags, group: Unmanaged<DispatchGroup>?
  ) -> ItemPointer {
    let raw = NodeCache.items.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
    raw.bindMemory(to: FunctionItem.self, capacity: 1)
      .initialize(
        to: FunctionItem(
          item: MemberItem(run, flags: flags.union(.captures), group: group), function: function,
          context: context,
          release: release))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  // MARK: Running

  private static let run: Item.Function = { raw in
    // SAFETY: made by `make`.
    let node = raw.assumingMemoryBound(to: FunctionItem.self)
    let function = node.pointee.function
    let context = node.pointee.context
    let release = node.pointee.release
    // No field needs to be destroyed.
    NodeCache.items.give(raw)
    function(context)
    release?(context)
  }
}
