// JobQueues+Submitting — a job of Swift's runtime goes to the queue of its class.

import SignalboxDispatch

extension JobQueues {
  /// Submits a job. Any thread.
  ///
  /// No memory is allocated for it, and a system call is made only if a worker must be woken.
  @inline(__always)
  static func submit(_ job: UnownedJob) {
    let job = PoolJob(job)
    shared.queue(for: job.band)._withUnsafeGuaranteedRef { $0.pushJob(job.item) }
  }
}
