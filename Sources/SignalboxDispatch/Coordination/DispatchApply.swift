// DispatchApply — a loop whose iterations run as items of a queue.
//
// On a concurrent queue, the caller holds a share of the queue until the loop ends, and its helpers
// arrive as items. So a barrier waits for the whole loop. On a serial queue, or on a queue with a
// serial target, the caller runs the loop in order as one `sync`.

import CSignalbox
import SignalboxRuntime

/// Calls `block` once for each index from 0 to `iterations` - 1 as work of `queue`, and returns
/// when all calls have ended.
///
/// On a concurrent queue, the calls run in parallel on several cores, in order with the queue's
/// items: after the barriers before the loop, before the barriers after it, and on the queue's
/// target. On a serial queue, they run in order. An item of a concurrent queue may call this
/// function for the same queue; on a serial queue that traps. If `queue` is nil, the function is
/// ``DispatchQueue/concurrentPerform(iterations:execute:)``. A negative count traps.
///
/// Source: Apple's documentation of `dispatch_apply`.
public func dispatch_apply(_ iterations: Int, _ queue: DispatchQueue?, _ block: (Int) -> Void) {
  if iterations < 0 {
    clientBug("dispatch_apply of \(iterations) iterations: the count must not be negative.")
  }
  if let queue { return queue.apply(iterations, block) }
  DispatchQueue.loop(iterations, on: nil, at: DispatchQueue.currentUrgency, block)
}

/// Calls `work` once for each index from 0 to `iterations` - 1 with `context` and the index, as
/// ``dispatch_apply(_:_:_:)`` does.
///
/// Source: Apple's documentation of `dispatch_apply_f`.
public func dispatch_apply_f(
  _ iterations: Int, _ queue: DispatchQueue?, _ context: UnsafeMutableRawPointer?,
  _ work: @convention(c) (UnsafeMutableRawPointer?, Int) -> Void
) {
  dispatch_apply(iterations, queue) { work(context, $0) }
}

extension DispatchQueue {
  fileprivate final func apply(_ iterations: Int, _ work: (Int) -> Void) {
    if isSerial { checkApply() }
    if iterations == 0 { return }
    if !runsSideBySide {
      sync { for index in 0..<iterations { work(index) } }
    } else if QueueFrame.isDirectlyOn(self) {
      // The thread has a share already, and a barrier may wait for that share.
      DispatchQueue.loop(iterations, on: self, at: baseLevel, work)
    } else {
      sync { DispatchQueue.loop(iterations, on: self, at: baseLevel, work) }
    }
  }

  /// Whether items may run concurrently on the queue and on all its targets.
  private final var runsSideBySide: Bool {
    var next: DispatchQueue? = self
    while let queue = next {
      if queue.isSerial { return false }
      next = queue.target
    }
    return true
  }

  /// Traps if this thread would wait for itself.
  private final func checkApply() {
    guard QueueFrame.isDirectlyOn(self) || (shape == .main && csb_thread_is_main() != 0) else {
      return
    }
    selfDeadlock(
      "dispatch_apply on the serial queue \(quotedLabel) from work that runs on it: this thread "
        + "would wait for itself forever. Call the work in a loop of its own.", for: .sync,
      on: resource)
  }
}
