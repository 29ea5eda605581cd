// DispatchQueue+Pending — counts the items of a queue for a report.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// The number of items in the list; 0 if the queue has an owner, which is draining it, or is
  /// halted. Takes O(n) time, during which no other thread drains the queue.
  final func countPending() -> Int {
    guard state.takeScheduled(csb_thread_number(), own: false) else { return 0 }
    // The shape guarantees the type.
    let ordered =
      shape == .workloop ? unsafeDowncast(self, to: DispatchWorkloop.self).ordered.count() : 0
    let count = list.count() + ordered
    if ordered > 0 || list.first() != nil || !state.finish() {
      if state.leavePending() == .schedule { schedule() }
    }
    return count
  }
}
