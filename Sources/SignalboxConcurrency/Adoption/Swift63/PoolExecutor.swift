// PoolExecutor — the executor of tasks and actors that ask for none. The runtime calls it for
// their sleeps and, if no hook is set (`HookedRoute`), for every job.

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import SignalboxDispatch
  import SignalboxRuntime

  // No fields: if tasks are created while the executors are being replaced, the runtime may
  // call this type with the previous executor as `self`.
  final class PoolExecutor: TaskExecutor, SchedulingExecutor {
    /// Called by the runtime, on any thread.
    func enqueue(_ job: UnownedJob) { JobQueues.submit(job) }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    /// Called mainly for `Task.sleep`.
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
