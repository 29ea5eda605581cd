// NotificationCenter+OperationQueue — notifications that are heard on a queue of ours.
//
// Foundation's form takes `OperationQueue?` of its own. Ours is twice here: with a queue, for
// `.main` and for variables, and with an optional one. With one form alone `nil` and `.main`
// would fit Foundation's as well as ours.

public import Foundation
public import SignalboxOperations
import SignalboxThreads

extension NotificationCenter {
  /// Has a block called for each notification of the name and the object, on a queue.
  ///
  /// Whoever posts waits until the block has run on the queue, as in Foundation. On a thread
  /// that runs an operation of the queue it is called at once, and so it is on the main thread
  /// for the main queue.
  ///
  /// - Parameters:
  ///   - name: of which name; `nil` is all.
  ///   - obj: of which object, by identity; `nil` is all.
  ///   - queue: where the block is called.
  ///   - block: what to call.
  /// - Returns: what to give to `removeObserver(_:)`.
  ///
  /// Source: Apple's documentation of `NotificationCenter.addObserver(forName:object:queue:using:)`.
  public func addObserver(
    forName name: NSNotification.Name?, object obj: Any?, queue: SignalboxOperations.OperationQueue,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    addObserver(forName: name, object: obj, queue: noQueue) { notification in
      if queue.isHere { return block(notification) }
      let passed = PassedNotification(notification)
      let operation = SignalboxOperations.BlockOperation { block(passed.notification) }
      queue.addOperation(operation)
      operation.waitUntilFinished()
    }
  }

  /// The same with a queue or none. Without one the block is called on the thread that posts.
  @_disfavoredOverload
  public func addObserver(
    forName name: NSNotification.Name?, object obj: Any?,
    queue: SignalboxOperations.OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    guard let queue else {
      return addObserver(forName: name, object: obj, queue: noQueue, using: block)
    }
    return addObserver(forName: name, object: obj, queue: queue, using: block)
  }

  /// Foundation's, of which there is none here.
  private var noQueue: Foundation.OperationQueue? { nil }
}

extension SignalboxOperations.OperationQueue {
  /// Whether who waits for it here would wait for itself.
  fileprivate var isHere: Bool {
    let type = SignalboxOperations.OperationQueue.self
    return type.current === self || self === type.main && SignalboxThreads.Thread.isMainThread
  }
}

/// A notification on its way to another thread, where it is read while the first one waits.
// SAFETY: see above.
private struct PassedNotification: @unchecked Sendable {
  let notification: Notification
  init(_ notification: Notification) { self.notification = notification }
}
