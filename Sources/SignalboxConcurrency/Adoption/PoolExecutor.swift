// PoolExecutor — what the runtime calls for tasks and actors that ask for no executor: for
// their sleeps, and for every job where its hook is not to be found (`HookedRoute`).

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import SignalboxDispatch
  import SignalboxRuntime

  // No field: where tasks are made while it is put in place, the runtime may call it with
  // the executor that was there before as `self`.
  final class PoolExecutor: TaskExecutor, SchedulingExecutor {
    /// What the runtime calls. Any thread.
    func enqueue(_ job: UnownedJob) { JobQueues.submit(job) }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    /// A `Task.sleep`, mostly.
    func enqueue<C: _Concurrency.Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      let deadline = Deadline(instant, of: clock)
      DelayedJob.submit(
        UnownedJob(job), at: deadline,
        leeway: tolerance.map { ($0 as? Duration)?.nanoseconds ?? 0 })
    }
  }
#endif
