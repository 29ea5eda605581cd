// LimitedWorker — runs at most a given number of jobs at a time.

public import SignalboxDispatch
import SignalboxRuntime

/// Runs at most a given number of jobs at a time.
///
/// ```swift
/// let downloads = LimitedWorker(limit: 4)
/// for address in addresses {
///   downloads.enqueueWork { store(download(address)) }
/// }
/// ```
///
/// Jobs start in the order in which you enqueue them, on any of the pool's threads. A job that
/// waits for its turn occupies no thread: it is an entry in a list.
///
/// A job may also be asynchronous: it then counts until it has called its done block.
/// Everything that ``AsyncSerialWorker`` says about that block applies, with one difference: a
/// block that is released without a call permanently reduces the limit by one. The worker
/// traps when a job waits and none can ever start.
///
/// You may release the worker at any time: jobs that are already enqueued still run.
///
/// Call it from any thread. A job costs its closure's captures and 16 bytes in the line. It
/// costs a submission to the queue only while fewer jobs than the limit are under way.
///
/// *Beyond Apple's API.* After “The GCD Handbook” by Soroush Khanlou, 2016, whose class of this
/// name occupies a thread for each waiting job. A limited worker does for closures what
/// `maxConcurrentOperationCount` does for operations.
public final class LimitedWorker: Sendable {
  private let jobs: LimitedJobs

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - limit: how many jobs may be under way at a time; less than 1 traps.
  ///   - label: the name of the worker's queue, for reports and messages.
  ///   - qos: the urgency of the jobs, whatever thread enqueues them: they run one after the
  ///     other on the same threads.
  ///   - target: the queue that runs the jobs, if not the pool. With a serial target, several
  ///     asynchronous jobs may be under way, but their closures run one by one.
  public init(
    limit: Int, label: String = "org.signalbox.limited-worker", qos: DispatchQoS = .default,
    target: DispatchQueue? = nil
  ) {
    if limit < 1 {
      clientBug(
        "LimitedWorker(limit: \(limit)), “\(label)”: no job could ever start. Give a limit of 1 or "
          + "more.")
    }
    jobs = LimitedJobs(
      limit: limit,
      on: DispatchQueue(label: label, qos: qos, attributes: .concurrent, target: target),
      kind: "LimitedWorker")
  }

  /// Runs `work` as soon as fewer jobs than the limit are under way and all earlier ones have
  /// started. Returns at once. The job ends when `work` has returned.
  public func enqueueWork(_ work: consuming @escaping @Sendable () -> Void) {
    jobs.enqueue(.work(consume work))
  }

  /// Runs an asynchronous job, which ends when `work` has returned and its done block was
  /// called. Returns at once.
  ///
  /// Traps if the job could never start: as many jobs as the limit allows have released their
  /// done blocks without calling them.
  public func enqueueWork(
    _ work: consuming @escaping @Sendable (_ done: @escaping DoneBlock) -> Void
  ) {
    jobs.enqueue(.asynchronousWork(consume work))
  }
}
