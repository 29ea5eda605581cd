// DispatchPredicate — asserts on which queue a thread is.

import CSignalbox
import SignalboxRuntime

/// What ``dispatchPrecondition(condition:file:line:)`` asserts.
public enum DispatchPredicate: Sendable {
  /// The thread runs an item of the queue, or of a queue that targets it. In the work of a `sync` on
  /// the main queue, or of an `asyncAndWait`, which may run on another thread than the caller's,
  /// the caller's queues count too.
  case onQueue(DispatchQueue)
  /// As `onQueue`, and no other item of the queue runs: the queue is serial, or the item is a
  /// barrier.
  case onQueueAsBarrier(DispatchQueue)
  /// The thread does not run an item of the queue.
  case notOnQueue(DispatchQueue)
}

/// Whether `condition` holds on this thread.
public func _dispatchPreconditionTest(_ condition: DispatchPredicate) -> Bool {
  switch condition {
  case .onQueue(let queue): queue.isCurrent
  case .onQueueAsBarrier(let queue): queue.isCurrent && queue.isHeldAlone
  case .notOnQueue(let queue): !queue.isCurrent
  }
}

/// Traps, even in release builds, unless `condition` holds on this thread.
///
/// ```swift
/// dispatchPrecondition(condition: .onQueue(.main))
/// ```
///
/// Source: Apple's documentation of `dispatchPrecondition(condition:)`.
@_transparent
public func dispatchPrecondition(
  condition: @autoclosure () -> DispatchPredicate, file: StaticString = #file, line: UInt = #line
) {
  let predicate = condition()
  if !_dispatchPreconditionTest(predicate) {
    _dispatchPreconditionFailed(predicate, file, line)
  }
}

/// Ends the process because a precondition does not hold.
@inline(never)
public func _dispatchPreconditionFailed(
  _ predicate: DispatchPredicate, _ file: StaticString, _ line: UInt
) -> Never {
  let wanted =
    switch predicate {
    case .onQueue(let queue): "to be on the queue \(queue.quotedLabel), but is not"
    case .onQueueAsBarrier(let queue):
      "to be alone on the queue \(queue.quotedLabel), but is not"
    case .notOnQueue(let queue): "not to be on the queue \(queue.quotedLabel), but is"
    }
  clientBug("dispatchPrecondition: this code was expected \(wanted) (\(file):\(line)).")
}

extension DispatchQueue {
  fileprivate var isCurrent: Bool { ThreadStack.ofThisThread.works(on: self) }

  /// Whether the item that this thread runs, which is work of the queue, runs there alone. If not,
  /// the item, or the thread that waits for it, holds a share; on a global queue it may hold
  /// nothing.
  fileprivate var isHeldAlone: Bool {
    if isSerial { return true }
    let now = state.snapshot
    return shape == .concurrent && now.isOwned && !now.hasShared
  }
}
