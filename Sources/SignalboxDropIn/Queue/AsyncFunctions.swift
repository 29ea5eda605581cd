// AsyncFunctions — the functions of <dispatch/queue.h> that submit work and return at once.

package import SignalboxDispatch
import SignalboxRuntime

/// Submits a block.
@_cdecl("dispatch_async")
package func dispatchAsync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  submit(Block(block, "dispatch_async"), to: queue, [], "dispatch_async")
}

/// Submits a function.
@_cdecl("dispatch_async_f")
package func dispatchAsyncFunction(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let call = FunctionCall(checked(work, "dispatch_async_f"), context)
  Handles.queue(queue, "dispatch_async_f")._withUnsafeGuaranteedRef { $0.submit(call) }
}

/// Submits a block as a barrier.
@_cdecl("dispatch_barrier_async")
package func dispatchBarrierAsync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  submit(Block(block, "dispatch_barrier_async"), to: queue, .barrier, "dispatch_barrier_async")
}

/// Submits a function as a barrier.
@_cdecl("dispatch_barrier_async_f")
package func dispatchBarrierAsyncFunction(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let call = FunctionCall(checked(work, "dispatch_barrier_async_f"), context)
  Handles.queue(queue, "dispatch_barrier_async_f")._withUnsafeGuaranteedRef {
    $0.submit(call, flags: .barrier)
  }
}

@inline(__always)
private func submit(
  _ block: Block, to queue: Handle?, _ flags: DispatchWorkItemFlags, _ call: StaticString
) {
  Handles.queue(queue, call)._withUnsafeGuaranteedRef { queue in
    if let item = block.workItem {
      item._withUnsafeGuaranteedRef { queue.submit($0, flags: flags) }
    } else {
      queue.submit(block.copied, flags: flags)
    }
  }
}

/// Traps if C code gave no function.
@inline(__always)
func checked(_ work: dispatch_function_t?, _ call: StaticString) -> dispatch_function_t {
  guard let work else { clientBug("\(call) was called with NULL where a function belongs.") }
  return work
}

// MARK: Later

/// Submits a block when the time `when` has come.
@_cdecl("dispatch_after")
package func dispatchAfter(
  _ when: UInt64, _ queue: Handle?, _ block: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_after"
  let block = Block(block, call)
  Handles.queue(queue, call)._withUnsafeGuaranteedRef { queue in
    switch (Delay(until: when), block.workItem) {
    case (.endless, _): break
    case (.over, let item?): item._withUnsafeGuaranteedRef { queue.submit($0) }
    case (.over, nil): queue.submit(block.copied)
    case (.until(let deadline), let item?):
      item._withUnsafeGuaranteedRef { queue.submit($0, at: deadline) }
    case (.until(let deadline), nil): queue.submit(block.copied, at: deadline)
    }
  }
}

/// Submits a function when the time `when` has come.
@_cdecl("dispatch_after_f")
package func dispatchAfterFunction(
  _ when: UInt64, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ work: dispatch_function_t?
) {
  let call = FunctionCall(checked(work, "dispatch_after_f"), context)
  Handles.queue(queue, "dispatch_after_f")._withUnsafeGuaranteedRef { queue in
    switch Delay(until: when) {
    case .endless: break
    case .over: queue.submit(call)
    case .until(let deadline): queue.submit(call, at: deadline)
    }
  }
}

private enum Delay {
  case over
  case until(Deadline)
  /// The time never comes: the work is not kept, as in the toolchain.
  case endless

  init(until when: UInt64) {
    let deadline = Deadline(encoded: when)
    self = deadline.isNever ? .endless : deadline.hasPassed ? .over : .until(deadline)
  }
}
