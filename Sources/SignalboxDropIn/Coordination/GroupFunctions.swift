// GroupFunctions — the functions of <dispatch/group.h>.

import CSignalbox
package import SignalboxDispatch
import SignalboxRuntime

/// A new group, without members. C code may release it before its members have left it.
@_cdecl("dispatch_group_create")
package func dispatchGroupCreate() -> Handle {
  GivenObject.take(.group) ?? Handles.made(DispatchGroup(keptByMembers: ()))
}

/// Submits a block as a member of the group.
@_cdecl("dispatch_group_async")
package func dispatchGroupAsync(
  _ group: Handle?, _ queue: Handle?, _ block: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_group_async"
  let block = Block(block, call)
  let group = Handles.group(group, call)
  Handles.queue(queue, call)._withUnsafeGuaranteedRef { queue in
    guard let item = block.workItem else { return queue.submit(block.copied, group: group) }
    group._withUnsafeGuaranteedRef { group in
      item._withUnsafeGuaranteedRef { queue.submit($0, group: group) }
    }
  }
}

/// Submits a function as a member of the group.
@_cdecl("dispatch_group_async_f")
package func dispatchGroupAsyncFunction(
  _ group: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ work: dispatch_function_t?
) {
  let call: StaticString = "dispatch_group_async_f"
  let work = checked(work, call)
  let group = Handles.group(group, call)
  Handles.queue(queue, call)._withUnsafeGuaranteedRef {
    $0.submit(FunctionCall(work, context), group: group)
  }
}

/// Waits until the group is empty; 0, or not 0 if `timeout` came first.
@_cdecl("dispatch_group_wait")
package func dispatchGroupWait(_ group: Handle?, _ timeout: UInt64) -> Int {
  Handles.group(group, "dispatch_group_wait")._withUnsafeGuaranteedRef {
    resultOfWait($0.wait(until: .ofWait(timeout)))
  }
}

/// Submits a block once the group is empty.
@_cdecl("dispatch_group_notify")
package func dispatchGroupNotify(
  _ group: Handle?, _ queue: Handle?, _ block: UnsafeMutableRawPointer?
) {
  let call: StaticString = "dispatch_group_notify"
  let block = Block(block, call)
  let group = Handles.group(group, call)
  // SAFETY: the caller's reference.
  let queue = Handles.queue(queue, call).takeUnretainedValue()
  group._withUnsafeGuaranteedRef { group in
    if let item = block.workItem {
      item._withUnsafeGuaranteedRef { group.notify(queue: queue, work: $0) }
    } else {
      queue.submit(block.copied, whenEmpty: group)
    }
  }
}

/// Submits a function once the group is empty.
@_cdecl("dispatch_group_notify_f")
package func dispatchGroupNotifyFunction(
  _ group: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ work: dispatch_function_t?
) {
  let call: StaticString = "dispatch_group_notify_f"
  let work = checked(work, call)
  let group = Handles.group(group, call)
  Handles.queue(queue, call)._withUnsafeGuaranteedRef { queue in
    group._withUnsafeGuaranteedRef { queue.submit(FunctionCall(work, context), whenEmpty: $0) }
  }
}

/// Counts one more member.
@_cdecl("dispatch_group_enter")
package func dispatchGroupEnter(_ group: Handle?) {
  Handles.group(group, "dispatch_group_enter")._withUnsafeGuaranteedRef { $0.enter() }
}

/// Counts one member less.
@_cdecl("dispatch_group_leave")
package func dispatchGroupLeave(_ group: Handle?) {
  let group = Handles.group(group, "dispatch_group_leave")
  // A thread that waits for this call may release the group as soon as it is empty. This reference
  // keeps the group alive, unless its members do.
  let isKept = group._withUnsafeGuaranteedRef { $0.isKeptByMembers }
  if !isKept { csb_object_retain(group.toOpaque()) }
  group._withUnsafeGuaranteedRef { $0.leave() }
  if !isKept { csb_object_release(group.toOpaque()) }
}
