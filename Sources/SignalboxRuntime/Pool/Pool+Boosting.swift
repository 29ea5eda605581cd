// Pool+Boosting — a worker of a lower tier is raised while someone above waits
// for what it runs.

import CSignalbox
import Synchronization

extension Pool {
  /// How many of its workers run. A hint.
  private var busyHint: Int {
    busy.load(ordering: .relaxed)  // order: relaxed; a hint.
  }

  /// Gives the worker that is `thread`, if it is of this pool, the process's
  /// kernel priority until the end of its runnable. Where the process may not
  /// (EACCES, EPERM), nothing happens: what has not started yet is served by
  /// others, and what runs ends at its own pace.
  func boost(_ thread: UInt32) {
    // Whoever holds it may be of low priority itself: not waited for.
    guard busyHint > 0, lock.tryLock() else { return }
    if let worker = shared.pointee.all.first(where: { $0.pointee.thread == thread }),
      worker.pointee.isCounted,
      csb_thread_set_nice(worker.pointee.kernelID, ProcessPriority.nice) == 0
    {
      // order: relaxed; acted upon by the worker at the end of its runnable.
      worker.pointee.notes.bitwiseOr(WorkerNotes.boosted, ordering: .relaxed)
    }
    unlock()
  }
}
