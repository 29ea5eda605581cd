// BlockFunctions — the functions of <dispatch/block.h>: blocks that can be cancelled and waited
// for. Each owns a `DispatchWorkItem`.

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

/// A block that performs `block` and can be cancelled and waited for; NULL for unknown flags.
@_cdecl("dispatch_block_create")
package func dispatchBlockCreate(
  _ flags: UInt, _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  make(flags, .unspecified, Block(block, "dispatch_block_create"))
}

/// The same, with a quality of service; NULL for unknown flags, classes or priorities.
@_cdecl("dispatch_block_create_with_qos_class")
package func dispatchBlockCreateWithClass(
  _ flags: UInt, _ qosClass: UInt32, _ relativePriority: Int32,
  _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  let block = Block(block, "dispatch_block_create_with_qos_class")
  guard let qos = DispatchQoS(qosClass, relativePriority) else { return nil }
  return make(flags, qos, block)
}

private func make(_ flags: UInt, _ qos: DispatchQoS, _ block: Block) -> UnsafeMutableRawPointer? {
  guard let flags = knownFlags(flags) else { return nil }
  let item = DispatchWorkItem(qos: qos, flags: flags, block: block.closure)
  // SAFETY: released by `releaseItem`, when the block is freed.
  return csd_block_make(Unmanaged.passRetained(item).toOpaque())
}

private func knownFlags(_ flags: UInt) -> DispatchWorkItemFlags? {
  let all: DispatchWorkItemFlags = [
    .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
  ]
  return flags & ~all.rawValue == 0 ? DispatchWorkItemFlags(rawValue: flags) : nil
}

/// Calls the block on this thread. Known flags have no effect; unknown flags trap.
@_cdecl("dispatch_block_perform")
package func dispatchBlockPerform(_ flags: UInt, _ block: UnsafeMutableRawPointer?) {
  let block = Block(block, "dispatch_block_perform")
  if knownFlags(flags) == nil {
    clientBug(
      "dispatch_block_perform: the flags 0x\(String(flags, radix: 16)) contain unknown bits.")
  }
  block()
}

/// Waits until the block has run; 0, or not 0 if `timeout` came first.
@_cdecl("dispatch_block_wait")
package func dispatchBlockWait(_ block: UnsafeMutableRawPointer?, _ timeout: UInt64) -> Int {
  withItem(block, "dispatch_block_wait") { resultOfWait($0.wait(until: .ofWait(timeout))) }
}

/// Submits `notification` to the queue once the block has run.
@_cdecl("dispatch_block_notify")
package func dispatchBlockNotify(
  _ block: UnsafeMutableRawPointer?, _ queue: Handle?, _ notification: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_block_notify"
  let notification = Block(notification, call)
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  withItem(block, call) { item in
    if let other = notification.workItem {
      other._withUnsafeGuaranteedRef { item.notify(queue: queue, execute: $0) }
    } else {
      item.notify(queue: queue, execute: notification.closure)
    }
  }
}

/// Prevents the block from running from now on.
@_cdecl("dispatch_block_cancel")
package func dispatchBlockCancel(_ block: UnsafeMutableRawPointer?) {
  withItem(block, "dispatch_block_cancel") { $0.cancel() }
}

/// Whether the block was cancelled: 1 or 0.
@_cdecl("dispatch_block_testcancel")
package func dispatchBlockTestCancel(_ block: UnsafeMutableRawPointer?) -> Int {
  withItem(block, "dispatch_block_testcancel") { $0.isCancelled ? 1 : 0 }
}

/// Calls `body` with the block's work item. Traps if the block has none.
private func withItem<Result>(
  _ block: UnsafeMutableRawPointer?, _ call: StaticString, _ body: (DispatchWorkItem) -> Result
) -> Result {
  guard let item = Block(block, call).workItem else {
    clientBug("\(call) was called with a block that dispatch_block_create did not make.")
  }
  return item._withUnsafeGuaranteedRef(body)
}

// MARK: For the block itself

/// Called by a block that owns a work item.
@_cdecl("csd_item_perform")
func performItem(_ item: UnsafeMutableRawPointer) {
  // SAFETY: made by `make`; the caller retains the block.
  Unmanaged<DispatchWorkItem>.fromOpaque(item)._withUnsafeGuaranteedRef { $0.perform() }
}

/// Called when a block that owns a work item is freed.
@_cdecl("csd_item_release")
func releaseItem(_ item: UnsafeMutableRawPointer) {
  Unmanaged<DispatchWorkItem>.fromOpaque(item).release()  // SAFETY: retained by `make`.
}
