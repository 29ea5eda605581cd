// DispatchQueue+TaskExecutor — a queue on which a task prefers to run.

import SignalboxDispatch
import SignalboxRuntime

/// Any queue may be a task's preferred executor:
///
/// ```swift
/// await withTaskExecutorPreference(queue) { await work() }
/// ```
///
/// What of the task is isolated to no actor with an executor of its own then runs as items of
/// the queue: one at a time on a serial one. An item is as urgent as the task. A suspended queue
/// holds the task up.
///
/// *Beyond Apple's API.*
extension DispatchQueue: TaskExecutor {
  /// Submits a job of a task that prefers the queue, as an item. Called by Swift's runtime.
  public func enqueue(_ job: UnownedJob) {
    // SAFETY: see `JobItem.queue`.
    let own = Unmanaged.passUnretained(self)
    submit(JobItem.make(job, for: own, runPreferred, flags: Item.Flags(job.urgency)))
  }
}

private let runPreferred: Item.Function = { raw in
  let contents = JobItem.take(raw)
  contents.queue?._withUnsafeGuaranteedRef {
    contents.job.runSynchronously(on: $0.asUnownedTaskExecutor())
  }
}
