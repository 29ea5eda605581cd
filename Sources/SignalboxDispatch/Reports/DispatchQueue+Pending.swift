// DispatchQueue+Pending — how many items a queue holds, counted for a report.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// How many items stand in the list; 0 if the queue is held by someone, who
  /// is then serving it. O(n), and for that long nobody else serves it.
  final func countPending() -> Int {
    guard state.takeInvited(csb_thread_number(), own: false) else { return 0 }
    // The shape says so.
    let ordered =
      shape == .workloop ? unsafeDowncast(self, to: DispatchWorkloop.self).ordered.count() : 0
    let count = list.count() + ordered
    if ordered > 0 || list.first() != nil || !state.finish() {
      if state.leavePending() == .enlist { enlist() }
    }
    return count
  }
}
