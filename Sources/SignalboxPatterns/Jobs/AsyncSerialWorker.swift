// AsyncSerialWorker — runs one asynchronous job after the other.

public import SignalboxDispatch
import SignalboxRuntime

/// The block that a job calls when it is finished.
public typealias DoneBlock = @Sendable () -> Void

/// Runs asynchronous jobs one after the other: the next job starts when the previous one has
/// called its done block.
///
/// ```swift
/// let uploads = AsyncSerialWorker()
/// for photo in photos {
///   uploads.enqueueWork { done in
///     upload(photo) { result in
///       report(result)
///       done()
///     }
///   }
/// }
/// ```
///
/// Jobs start in the order in which you enqueue them, each on the worker's queue. No thread is
/// occupied while a job waits for something elsewhere.
///
/// **When a job ends.** A job ends when its closure has returned *and* its done block was
/// called, whichever comes last. So two closures never run at once, even if one continues after
/// it has called the block. Call the block from any thread, even inside the job, before the job
/// has returned. The next job sees everything that the job did before. Calling the block more
/// than once has no effect.
///
/// **When done is never called.** The next job does not start. As long as something keeps the
/// block, it may still be called. If the block is released without a call, no later job can
/// ever start, and the worker traps as soon as there is one: at once, or when you enqueue it.
/// The worker does not continue with the next job by itself, because nothing shows that the
/// earlier work has ended. If no job follows, nothing is lost, and worker and job are freed.
///
/// You may release the worker at any time: jobs that are already enqueued still run.
///
/// Call it from any thread. A job costs its closure's captures, a permit of 32 bytes for its
/// done block, and 16 bytes in the line. It costs a submission to the queue only if the worker
/// was idle, the previous job called its done block after its closure had returned, or the
/// worker has run jobs for a few milliseconds.
///
/// *Beyond Apple's API.* After “The GCD Handbook” by Soroush Khanlou, 2016, whose class of this
/// name occupies a thread for each job.
public final class AsyncSerialWorker: Sendable {
  /// An asynchronous job: it starts work that calls the block when it is
  /// finished.
  public typealias WorkBlock = @Sendable (_ done: @escaping DoneBlock) -> Void

  private let jobs: LimitedJobs

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - label: the name of the worker's queue, for reports and messages.
  ///   - qos: the urgency of the jobs, whatever thread enqueues them: they run one after the
  ///     other on the same thread.
  ///   - target: the queue that runs the jobs, if not the pool.
  public init(
    label: String = "org.signalbox.async-serial-worker", qos: DispatchQoS = .default,
    target: DispatchQueue? = nil
  ) {
    jobs = LimitedJobs(
      limit: 1, on: DispatchQueue(label: label, qos: qos, target: target),
      kind: "AsyncSerialWorker")
  }

  /// Runs `work` when all jobs enqueued before have ended. Returns at once.
  ///
  /// Traps if the job could never start because an earlier one released its done block without
  /// calling it.
  public func enqueueWork(_ work: consuming @escaping WorkBlock) {
    jobs.enqueue(.asynchronousWork(consume work))
  }
}
