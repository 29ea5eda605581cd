// URLSession+OperationQueue — sessions that call their delegates on a queue of ours.
//
// As for notifications, the form is here twice: see
// `NotificationCenter.addObserver(forName:object:queue:using:)`.

public import FoundationNetworking
public import SignalboxFoundation

extension URLSession {
  /// A session whose delegate, and whose tasks' completion handlers, are called on a queue.
  ///
  /// The queue is to be serial (`maxConcurrentOperationCount` of 1), so that what happens is told
  /// in order. `delegateQueue` gives a ``/SignalboxFoundation/FoundationOperationQueue``, whose
  /// `target` it is.
  ///
  /// - Parameters:
  ///   - configuration: how the session does its work.
  ///   - delegate: who is told; kept until the session is invalidated.
  ///   - queue: where.
  ///
  /// Source: Apple's documentation of `URLSession.init(configuration:delegate:delegateQueue:)`.
  public convenience init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue
  ) {
    let forwarding: Foundation.OperationQueue? = FoundationOperationQueue(runningOn: queue)
    self.init(configuration: configuration, delegate: delegate, delegateQueue: forwarding)
  }

  /// The same with a queue or none. Without one the session makes one of Foundation's.
  @_disfavoredOverload
  public convenience init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue?
  ) {
    let forwarding: Foundation.OperationQueue? = queue.map {
      FoundationOperationQueue(runningOn: $0)
    }
    self.init(configuration: configuration, delegate: delegate, delegateQueue: forwarding)
  }
}
