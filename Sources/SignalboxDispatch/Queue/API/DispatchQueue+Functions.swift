// DispatchQueue+Functions — submits C functions with a context, under the names that C programs
// know.
//
// A function needs no closure: submitting one costs only a node that is reused.

import SignalboxRuntime

/// Submits `work`, to be called with `context`, and returns at once.
///
/// Any thread may call it. The context is passed on unchanged; Signalbox does not free it.
///
/// Source: Apple's documentation of `dispatch_async_f`.
public func dispatch_async_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: @escaping dispatch_function_t
) {
  queue.push(
    FunctionItem.make(work, context, flags: queue.marks(.unspecified, []), group: nil))
}

/// Submits `work`, to be called with `context` as a barrier, and returns at once.
///
/// Source: Apple's documentation of `dispatch_barrier_async_f`.
public func dispatch_barrier_async_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: @escaping dispatch_function_t
) {
  queue.push(
    FunctionItem.make(work, context, flags: queue.marks(.unspecified, .barrier), group: nil))
}

/// Submits `work`, to be called with `context`, as a member of `group` and returns at once.
///
/// Source: Apple's documentation of `dispatch_group_async_f`.
public func dispatch_group_async_f(
  _ group: DispatchGroup, _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  // SAFETY: the item keeps the group.
  let group = Unmanaged.passUnretained(group)
  queue.push(
    FunctionItem.make(work, context, flags: queue.marks(.unspecified, []), group: group))
}

/// Submits `work`, to be called with `context`, once the group is empty, or at once if it is
/// empty now.
///
/// Source: Apple's documentation of `dispatch_group_notify_f`.
public func dispatch_group_notify_f(
  _ group: DispatchGroup, _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  group.core.notify(
    queue, FunctionItem.make(work, context, flags: queue.marks(.unspecified, []), group: nil))
}

/// Submits `work`, to be called with `context`, at the time `when` or later, never earlier.
/// `when` is the `rawValue` of a ``DispatchTime`` or a ``DispatchWallTime``; 0 means now. A time that
/// has passed submits the call at once, as `dispatch_async_f` does.
///
/// Source: Apple's documentation of `dispatch_after_f`.
public func dispatch_after_f(
  _ when: dispatch_time_t, _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  let due = deadline(when)
  if due.isNever { return }
  let item = FunctionItem.make(
    work, context, flags: queue.marks(.unspecified, []), group: nil)
  queue.push(item, at: due)
}

/// Calls `work` with `context`, as `sync` does.
///
/// Source: Apple's documentation of `dispatch_sync_f`.
public func dispatch_sync_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.sync { work(context) }
}

/// Calls `work` with `context` as a barrier, and returns when it has ended.
///
/// Source: Apple's documentation of `dispatch_barrier_sync_f`.
public func dispatch_barrier_sync_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.sync(flags: .barrier) { work(context) }
}

/// Calls `work` with `context`, as `asyncAndWait` does.
///
/// Source: Apple's documentation of `dispatch_async_and_wait_f`.
public func dispatch_async_and_wait_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.asyncAndWait { work(context) }
}

/// Calls `work` with `context` as a barrier, as ``DispatchQueue/asyncAndWait(flags:execute:)``
/// does.
///
/// Source: Apple's documentation of `dispatch_barrier_async_and_wait_f`.
public func dispatch_barrier_async_and_wait_f(
  _ queue: DispatchQueue, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  queue.asyncAndWait(flags: .barrier) { work(context) }
}

/// A time in C's encoding, which ``DispatchTime`` and ``DispatchWallTime`` produce.
public typealias dispatch_time_t = UInt64

/// The two upper bits encode the clock.
private func deadline(_ when: dispatch_time_t) -> Deadline {
  if when == UInt64.max { return .never }
  switch when >> 62 {
  case 0: return DispatchTime(rawValue: when).deadline
  case 3: return DispatchWallTime(rawValue: when).deadline
  default:
    clientBug(
      "dispatch_after_f: the time 0x\(String(when, radix: 16)) is not a DispatchTime or "
        + "DispatchWallTime value. Pass the rawValue of one of them.")
  }
}
