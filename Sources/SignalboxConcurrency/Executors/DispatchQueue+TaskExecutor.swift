// DispatchQueue+TaskExecutor — queues as task executors.

import SignalboxDispatch
import SignalboxRuntime

/// Any queue can be a task's preferred executor:
///
/// ```swift
/// await withTaskExecutorPreference(queue) { await work() }
/// ```
///
/// The parts of the task that are not isolated to an actor with its own executor then run as
/// items of the queue: one at a time on a serial queue. An item is as urgent as the task. A
/// suspended queue holds the task up.
///
/// *Beyond Apple's API.*
extension DispatchQueue: TaskExecutor {
  /// Submits a job of a task that prefers the queue, as an item. Swift's runtime calls it.
  public func enqueue(_ job: UnownedJob) {
    // SAFETY: see `JobItem.queue`.
    let own = Unmanaged.passUnretained(self)
    submit(JobItem.make(job, for: own, runPreferred, flags: Item.Flags(job.urgency)))
  }
}

private let runPreferred: Item.Function = { raw in
  let contents = JobItem.take(raw)
  contents.queue?._withUnsafeGuaranteedRef {
    let executor = $0.asUnownedTaskExecutor()
    contents.job.run { $0.runSynchronously(on: executor) }
  }
}
