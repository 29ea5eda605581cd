// PoolExecutor — what the runtime calls for tasks and actors that ask for no executor.

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import SignalboxRuntime

  final class PoolExecutor: TaskExecutor, SchedulingExecutor {
    private let queues = JobQueues.shared

    /// What the runtime calls. Any thread.
    func enqueue(_ job: UnownedJob) { queues.submit(job) }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    /// A `Task.sleep`, mostly.
    func enqueue<C: _Concurrency.Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      let deadline = Deadline(instant, of: clock)
      DelayedJob.submit(
        UnownedJob(job), at: deadline,
        leeway: tolerance.map { ($0 as? Duration)?.nanosecondsRoundedUp ?? 0 })
    }
  }
#endif
