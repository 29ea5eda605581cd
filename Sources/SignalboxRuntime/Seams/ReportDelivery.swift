// ReportDelivery — how a report reaches the program's handler.
//
// The thread that finds something to report is itself waiting, or has just taken a lock of the
// program. So the handler runs on a worker instead.

import CSignalbox

package struct ReportDelivery: ~Copyable {
  private let item = Item(ReportDelivery.run)
  private let text: String
  private let handler: @Sendable (String) -> Void

  /// Calls `handler` with `text` on a worker, in an item of a global queue.
  package static func deliver(_ text: String, to handler: @escaping @Sendable (String) -> Void) {
    // SAFETY: fresh memory, which `call` frees.
    let delivery = UnsafeMutablePointer<ReportDelivery>.allocate(capacity: 1)
    delivery.initialize(to: ReportDelivery(text: text, handler: handler))
    // SAFETY: the item is the first field.
    let item = UnsafeMutableRawPointer(delivery).assumingMemoryBound(to: Item.self)
    // Submit to the pool's run queue: no other thread takes an item from this thread's own slot
    // while it waits.
    Engine.current.pool.submitShared(item, at: .standard)
  }

  private init(text: String, handler: @escaping @Sendable (String) -> Void) {
    self.text = text
    self.handler = handler
  }

  private static let run: Item.Function = { csb_queue_run(ReportDelivery.call, $0) }

  private static let call: Item.Function = { raw in
    // SAFETY: made by `deliver`; called once.
    let memory = raw.assumingMemoryBound(to: ReportDelivery.self)
    let delivery = memory.move()
    memory.deallocate()
    delivery.handler(delivery.text)
  }
}
