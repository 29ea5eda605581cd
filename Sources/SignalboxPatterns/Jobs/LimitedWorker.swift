// LimitedWorker — at most so many jobs at a time.

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
/// Jobs start in the order in which they were enqueued, on any of the pool's
/// threads. A job that waits for its turn holds no thread: it is an entry in a
/// list.
///
/// A job may also be asynchronous: it then counts until it has called the done
/// block it is given. What ``AsyncSerialWorker`` says of that block holds here
/// too, with one difference: a block that is released without having been called
/// takes one from the limit for ever. The worker traps when no job can start any
/// more, and one would have to.
///
/// The worker may be released at any time: jobs already enqueued are still run.
///
/// From any thread. A job costs what its closure captures and 16 bytes in the
/// line; a submission to the queue only while fewer jobs than the limit are under
/// way.
///
/// *Beyond Apple's API.* After “The GCD Handbook” by Soroush Khanlou, 2016, whose
/// class of this name holds a thread for each waiting job; it does what
/// `maxConcurrentOperationCount` does for operations.
public final class LimitedWorker: Sendable {
  private let jobs: LimitedJobs

  /// - Parameters:
  ///   - limit: how many jobs may be under way at a time; less than 1 traps.
  ///   - label: the name of the worker's queue, for reports and messages.
  ///   - qos: how urgent its jobs are, whoever enqueues them: they run one after the
  ///     other on the same threads.
  ///   - target: the queue that its jobs run on, if not the pool's. On a serial
  ///     one asynchronous jobs are under way at a time, but closures run one by one.
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

  /// Has `work` run as soon as fewer jobs than the limit are under way and all
  /// enqueued before it have started; returns at once. The job is over when
  /// `work` has returned.
  public func enqueueWork(_ work: consuming @escaping @Sendable () -> Void) {
    jobs.enqueue(.work(consume work))
  }

  /// The same for an asynchronous job, which is over when `work` has returned and
  /// the block it was given was called.
  ///
  /// Traps if the job could never start, because as many as the limit released
  /// their done blocks without having called them.
  public func enqueueWork(
    _ work: consuming @escaping @Sendable (_ done: @escaping DoneBlock) -> Void
  ) {
    jobs.enqueue(.asynchronousWork(consume work))
  }
}
