// URLSession+OperationQueue — sessions that call their delegates on a queue of ours.
//
// The initializer exists twice, for the same reason as
// `NotificationCenter.addObserver(forName:object:queue:using:)`.

public import FoundationNetworking
public import SignalboxFoundation

extension URLSession {
  /// Creates a session that calls its delegate, and its tasks' completion handlers, on a queue.
  ///
  /// Use a serial queue (`maxConcurrentOperationCount` of 1), so that events arrive in order.
  /// The session's `delegateQueue` is a ``/SignalboxFoundation/FoundationOperationQueue`` whose
  /// `target` is this queue. The delegate is retained until the session is invalidated.
  ///
  /// Source: Apple's documentation of `URLSession.init(configuration:delegate:delegateQueue:)`.
  public convenience init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue
  ) {
    let forwarding: Foundation.OperationQueue? = FoundationOperationQueue(runningOn: queue)
    self.init(configuration: configuration, delegate: delegate, delegateQueue: forwarding)
  }

  /// Creates a session with an optional queue. With `nil`, the session creates a Foundation queue.
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
