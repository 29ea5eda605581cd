// Pool+Boosting — raises a worker of a lower tier while a thread of higher priority waits
// for what it runs.

import CSignalbox

extension Pool {
  /// Gives the worker with this thread number, if it belongs to this pool, the process's
  /// kernel priority until the end of its runnable. If the process may not do that
  /// (EACCES, EPERM), nothing happens: other workers drain what has not started, and what
  /// runs ends at its own pace.
  func boost(_ thread: UInt32) {
    // Do not wait for the lock, because its holder may have low priority itself.
    guard busy.load() > 0, lock.tryLock() else { return }
    if let worker = shared.pointee.all.first(where: { $0.pointee.thread == thread }),
      worker.pointee.isCounted,
      csb_thread_set_nice(worker.pointee.kernelID, ProcessPriority.nice) == 0
    {
      worker.pointee.notes.set(WorkerNotes.boosted)
    }
    unlock()
  }
}
