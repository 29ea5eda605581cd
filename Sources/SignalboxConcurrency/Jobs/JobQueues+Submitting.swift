// JobQueues+Submitting — a job of Swift's runtime goes to the queue of its class.

import SignalboxDispatch

extension JobQueues {
  /// Submits a job. Any thread.
  ///
  /// No memory is allocated for it, and a system call is made only if a worker must be woken.
  @inline(__always)
  static func submit(_ job: UnownedJob) {
    let job = PoolJob(job)
    append(job.item, for: job.band)
  }
}

/// Called by the runtime, by way of its hook for jobs that ask for no executor.
@c(csb_job_submit)
func submitJob(_ job: UnsafeMutableRawPointer) { JobQueues.submit(UnownedJob(address: job)) }
