// JobQueues+Submitting — submits a job of Swift's runtime to the queue of its class.

import SignalboxDispatch

extension JobQueues {
  /// Submits a job. Call from any thread.
  ///
  /// The call allocates no memory, and makes a system call only if it must wake a worker.
  @inline(__always)
  static func submit(_ job: UnownedJob) {
    let job = PoolJob(job)
    append(job.item, for: job.band, isInPlace: job.isInPlace)
  }
}

/// Called by the runtime through its hook for jobs without an executor.
@_cdecl("csb_job_submit")
func submitJob(_ job: UnsafeMutableRawPointer) { JobQueues.submit(UnownedJob(address: job)) }
