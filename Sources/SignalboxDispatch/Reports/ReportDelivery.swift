// ReportDelivery — how a report comes to the program's own function.
//
// Whoever finds something out waits itself, or has just taken a lock of the program's:
// the function runs elsewhere, on a worker of its own.

import SignalboxRuntime

package enum ReportDelivery {
  /// Has `handler` called with `text` by an item of a global queue.
  package static func deliver(_ text: String, to handler: @escaping @Sendable (String) -> Void) {
    // To the lines: what this thread keeps for itself nobody takes while it waits.
    let item = ClosureItem.make(
      { DispatchQueue.global().sync { handler(text) } }, flags: [], group: nil)
    Engine.current.pool.submitShared(item, at: .standard)
  }
}
