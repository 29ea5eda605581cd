// ReportDelivery — how a report reaches the program's handler.
//
// The thread that finds something waits itself, or has just taken a lock of the program. So the
// handler runs elsewhere, on a worker of its own.

import SignalboxRuntime

package enum ReportDelivery {
  /// Calls `handler` with `text` in an item of a global queue.
  package static func deliver(_ text: String, to handler: @escaping @Sendable (String) -> Void) {
    // Submit to the pool's run queue: no other thread takes an item from this thread's own slot
    // while it waits.
    let item = ClosureItem.make(
      { DispatchQueue.global().sync { handler(text) } }, flags: [], group: nil)
    Engine.current.pool.submitShared(item, at: .standard)
  }
}
