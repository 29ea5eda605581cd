// DispatchPredicate — asserts on which queue a thread is.

import CSignalbox
import SignalboxRuntime

/// What ``dispatchPrecondition(condition:file:line:)`` asserts.
public enum DispatchPredicate: Sendable {
  /// The thread runs an item of the queue, or of a queue that targets it. In the work of an
  /// `asyncAndWait`, or of a `sync` on the main queue or a queue that targets it, which may run on
  /// another thread, the caller's queues count too.
  case onQueue(DispatchQueue)
  /// As `onQueue`, and no other item of the queue runs: the queue is serial, or the item is a
  /// barrier.
  case onQueueAsBarrier(DispatchQueue)
  /// `onQueue` does not hold.
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

  /// Whether the work that this thread runs has the queue alone. The thread, or the caller that
  /// waits for it, is on the queue. An owner without shares is therefore one of them.
  fileprivate var isHeldAlone: Bool {
    if isSerial { return true }
    let now = state.snapshot
    return shape == .concurrent && now.isOwned && !now.hasShared
  }
}
