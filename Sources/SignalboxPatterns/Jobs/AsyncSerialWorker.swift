// AsyncSerialWorker — one asynchronous job after the other.

public import SignalboxDispatch
import SignalboxRuntime

/// What a job calls when it is over.
public typealias DoneBlock = @Sendable () -> Void

/// Runs asynchronous jobs one after the other: the next starts when the last has
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
/// Jobs start in the order in which they were enqueued, each on the worker's
/// queue. No thread is held while a job is under way elsewhere.
///
/// **When a job is over.** When its closure has returned *and* its done block
/// was called, whichever comes last: so two closures never run at once, even if
/// one goes on after it has called done. The block may be called from any thread,
/// also within the job, and also before the job has returned; what the job did
/// before is seen by the next one. Calling it more than once is harmless.
///
/// **When done is never called.** The next job does not start. As long as someone
/// keeps the block that may yet happen. If the block is released without having
/// been called, no job after it can ever start, and the worker traps as soon as
/// there is one: then, or when it is enqueued. It does not go on with the
/// next one by itself, because nothing says that the work before has ended. With
/// no job behind it nothing is lost, and worker and job are freed.
///
/// The worker may be released at any time: jobs already enqueued are still run.
///
/// From any thread. A job costs what its closure captures, a permit of 32 bytes
/// for its done block, and 16 bytes in the line; a submission to the queue only
/// where the worker had nothing to do or the last job ended elsewhere.
///
/// *Beyond Apple's API.* After “The GCD Handbook” by Soroush Khanlou, 2016, whose
/// class of this name holds a thread for each job.
public final class AsyncSerialWorker: Sendable {
  /// An asynchronous job: it starts something, which calls the block when it is over.
  public typealias WorkBlock = @Sendable (_ done: @escaping DoneBlock) -> Void

  private let jobs: LimitedJobs

  /// - Parameters:
  ///   - label: the name of the worker's queue, for reports and messages.
  ///   - qos: how urgent its jobs are, whoever enqueues them: they run one after the
  ///     other on the same thread.
  ///   - target: the queue that its jobs run on, if not the pool's.
  public init(
    label: String = "org.signalbox.async-serial-worker", qos: DispatchQoS = .default,
    target: DispatchQueue? = nil
  ) {
    jobs = LimitedJobs(
      limit: 1, on: DispatchQueue(label: label, qos: qos, target: target),
      kind: "AsyncSerialWorker")
  }

  /// Has `work` run when every job enqueued before is over; returns at once.
  ///
  /// Traps if the job could never start, because an earlier one released its
  /// done block without having called it.
  public func enqueueWork(_ work: consuming @escaping WorkBlock) {
    jobs.enqueue(.asynchronousWork(consume work))
  }
}
