// Pool+Boosting — a worker of a lower tier is raised while someone above waits
// for what it runs.

import CSignalbox
import Synchronization

extension Pool {
  /// Gives the worker that is `thread`, if it is of this pool, the process's
  /// kernel priority until the end of its runnable. Where the process may not
  /// (EACCES, EPERM), nothing happens: what has not started yet is served by
  /// others, and what runs ends at its own pace.
  func boost(_ thread: UInt32) {
    lock.lock()
    var next = shared.pointee.all
    while let worker = next, worker.pointee.thread != thread { next = worker.pointee.nextOfAll }
    if let worker = next, csb_thread_set_nice(worker.pointee.kernelID, ProcessPriority.nice) == 0 {
      // order: relaxed; acted upon by the worker at the end of its runnable.
      worker.pointee.notes.bitwiseOr(WorkerNotes.boosted, ordering: .relaxed)
    }
    lock.unlock()
  }
}
