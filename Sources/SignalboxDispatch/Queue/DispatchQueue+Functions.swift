// DispatchQueue+Functions — work given as a C function and a context, by the names
// that C programs know.
//
// A function takes no closure: what is submitted costs a node that is re-used and
// nothing else.

import SignalboxRuntime

/// Submits `work`, to be called with `context`, and returns at once.
///
/// From any thread. The context is handed over as it is; nobody frees it.
///
/// Source: Apple's documentation of `dispatch_async_f`.
public func dispatch_async_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: @escaping dispatch_function_t
) {
  queue.push(
    FunctionItem.make(work, context, flags: queue.marks(.unspecified, []), group: nil))
}

/// Submits `work`, to be called with `context` alone on a concurrent queue, and
/// returns at once.
///
/// Source: Apple's documentation of `dispatch_barrier_async_f`.
public func dispatch_barrier_async_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: @escaping dispatch_function_t
) {
  queue.push(
    FunctionItem.make(work, context, flags: queue.marks(.unspecified, .barrier), group: nil))
}

/// Submits `work` as a member of `group`, to be called with `context`, and returns
/// at once.
///
/// Source: Apple's documentation of `dispatch_group_async_f`.
public func dispatch_group_async_f(
  _ group: DispatchGroup, _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  queue.push(
    FunctionItem.make(work, context, flags: queue.marks(.unspecified, []), group: group))
}

/// Submits `work`, to be called with `context`, once the group is empty; at once, if
/// it is.
///
/// Source: Apple's documentation of `dispatch_group_notify_f`.
public func dispatch_group_notify_f(
  _ group: DispatchGroup, _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  group.core.notify(
    queue, FunctionItem.make(work, context, flags: queue.marks(.unspecified, []), group: nil))
}

/// Submits `work`, to be called with `context`, when the time `when` has come: never
/// earlier. `when` is the `rawValue` of a ``DispatchTime`` or a ``DispatchWallTime``;
/// 0 is now.
///
/// Source: Apple's documentation of `dispatch_after_f`.
public func dispatch_after_f(
  _ when: dispatch_time_t, _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  let item = FunctionItem.make(
    work, context, flags: queue.marks(.unspecified, []), group: nil)
  DelayedItem.submit(item, to: queue, at: deadline(when))
}

/// Calls `work` with `context` as `sync` would.
///
/// Source: Apple's documentation of `dispatch_sync_f`.
public func dispatch_sync_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.sync { work(context) }
}

/// Calls `work` with `context` alone on a concurrent queue, and returns when it has
/// ended.
///
/// Source: Apple's documentation of `dispatch_barrier_sync_f`.
public func dispatch_barrier_sync_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.sync(flags: .barrier) { work(context) }
}

/// Calls `work` with `context` as `asyncAndWait` would.
///
/// Source: Apple's documentation of `dispatch_async_and_wait_f`.
public func dispatch_async_and_wait_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.asyncAndWait { work(context) }
}

/// Calls `work` with `context` alone on a concurrent queue, as
/// ``DispatchQueue/asyncAndWait(flags:execute:)`` would.
///
/// Source: Apple's documentation of `dispatch_barrier_async_and_wait_f`.
public func dispatch_barrier_async_and_wait_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.asyncAndWait(flags: .barrier) { work(context) }
}

/// A time as C programs have it: what ``DispatchTime`` and ``DispatchWallTime`` encode.
public typealias dispatch_time_t = UInt64

/// The two upper bits say which clock is meant.
private func deadline(_ when: dispatch_time_t) -> Deadline {
  if when == UInt64.max { return .never }
  switch when >> 62 {
  case 0: return DispatchTime(rawValue: when).deadline
  case 3: return DispatchWallTime(rawValue: when).deadline
  default:
    clientBug(
      "dispatch_after_f: the time 0x\(String(when, radix: 16)) is on neither clock that there is. "
        + "Take the rawValue of a DispatchTime or a DispatchWallTime.")
  }
}
