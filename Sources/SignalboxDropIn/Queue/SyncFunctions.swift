// SyncFunctions — the functions of <dispatch/queue.h> that run work while their caller waits.
//
// Blocks are not copied, and the queue is not retained: the caller keeps both alive.

package import SignalboxDispatch
import SignalboxRuntime

/// Runs a block and returns when it has ended.
@_cdecl("dispatch_sync")
package func dispatchSync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  OverlayQueue.prepare()
  let block = Block(block, "dispatch_sync")
  Handles.queue(queue, "dispatch_sync")._withUnsafeGuaranteedRef { queue in
    if let item = block.workItem {
      item._withUnsafeGuaranteedRef { queue.sync(execute: $0) }
    } else {
      queue.sync { block() }
    }
  }
}

/// Runs a function and returns when it has ended.
@_cdecl("dispatch_sync_f")
package func dispatchSyncFunction(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let work = checked(work, "dispatch_sync_f")
  Handles.queue(queue, "dispatch_sync_f")._withUnsafeGuaranteedRef { $0.sync { work(context) } }
}

/// Runs a block as a barrier and returns when it has ended.
@_cdecl("dispatch_barrier_sync")
package func dispatchBarrierSync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = Block(block, "dispatch_barrier_sync")
  Handles.queue(queue, "dispatch_barrier_sync")._withUnsafeGuaranteedRef { queue in
    if let item = block.workItem {
      item._withUnsafeGuaranteedRef { queue.syncBarrier(execute: $0) }
    } else {
      queue.sync(flags: .barrier) { block() }
    }
  }
}

/// Runs a function as a barrier and returns when it has ended.
@_cdecl("dispatch_barrier_sync_f")
package func dispatchBarrierSyncFunction(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let work = checked(work, "dispatch_barrier_sync_f")
  Handles.queue(queue, "dispatch_barrier_sync_f")._withUnsafeGuaranteedRef {
    $0.sync(flags: .barrier) { work(context) }
  }
}

// MARK: As an item

/// Runs a block as an item of the queue and returns when it has ended.
@_cdecl("dispatch_async_and_wait")
package func dispatchAsyncAndWait(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = Block(block, "dispatch_async_and_wait")
  Handles.queue(queue, "dispatch_async_and_wait")._withUnsafeGuaranteedRef { queue in
    if let item = block.workItem {
      item._withUnsafeGuaranteedRef { queue.asyncAndWait(execute: $0) }
    } else {
      queue.asyncAndWait { block() }
    }
  }
}

@_cdecl("dispatch_async_and_wait_f")
package func dispatchAsyncAndWaitFunction(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let work = checked(work, "dispatch_async_and_wait_f")
  Handles.queue(queue, "dispatch_async_and_wait_f")._withUnsafeGuaranteedRef {
    $0.asyncAndWait { work(context) }
  }
}

/// Runs a block as a barrier of the queue and returns when it has ended.
@_cdecl("dispatch_barrier_async_and_wait")
package func dispatchBarrierAsyncAndWait(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  // A block that owns a work item performs it by itself.
  let block = Block(block, "dispatch_barrier_async_and_wait")
  Handles.queue(queue, "dispatch_barrier_async_and_wait")._withUnsafeGuaranteedRef {
    $0.asyncAndWait(flags: .barrier) { block() }
  }
}

@_cdecl("dispatch_barrier_async_and_wait_f")
package func dispatchBarrierAsyncAndWaitFunction(
  _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) {
  let work = checked(work, "dispatch_barrier_async_and_wait_f")
  Handles.queue(queue, "dispatch_barrier_async_and_wait_f")._withUnsafeGuaranteedRef {
    $0.asyncAndWait(flags: .barrier) { work(context) }
  }
}

// MARK: Loops

/// Calls a block once for each index, on the queue or, for NULL, on the pool.
@_cdecl("dispatch_apply")
package func dispatchApply(
  _ iterations: Int, _ queue: Handle?, _ block: UnsafeMutableRawPointer?
) {
  let block = Block(block, "dispatch_apply")
  // SAFETY: the caller's reference.
  let queue = Handles.optionalQueue(queue, "dispatch_apply")?.takeUnretainedValue()
  dispatch_apply(iterations, queue) { block($0) }
}

/// Calls a function once for each index.
@_cdecl("dispatch_apply_f")
package func dispatchApplyFunction(
  _ iterations: Int, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ work: (@convention(c) (UnsafeMutableRawPointer?, Int) -> Void)?
) {
  let call: StaticString = "dispatch_apply_f"
  guard let work else { clientBug("\(call) was called with NULL where a function belongs.") }
  // SAFETY: the caller's reference.
  let queue = Handles.optionalQueue(queue, call)?.takeUnretainedValue()
  dispatch_apply(iterations, queue) { work(context, $0) }
}
