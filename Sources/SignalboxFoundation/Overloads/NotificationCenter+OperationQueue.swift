// NotificationCenter+OperationQueue — notifications that are delivered on a queue of ours.
//
// Foundation's method takes an `OperationQueue?` of its own type. Ours exists twice: with a
// queue, for `.main` and for variables, and with an optional queue. With only one of them,
// `nil` or `.main` would match Foundation's as well.

public import Foundation
public import SignalboxOperations
import SignalboxThreads

extension NotificationCenter {
  /// Calls a block on a queue for each notification with the name and the object.
  ///
  /// The posting thread waits until the block has run on the queue, as in Foundation. On a
  /// thread that runs an operation of the queue, and on the main thread for the main queue, the
  /// block is called directly.
  ///
  /// - Parameters:
  ///   - name: the name of the notifications; `nil` means all.
  ///   - obj: the object that posts them, by identity; `nil` means all.
  ///   - queue: the queue on which the block is called.
  ///   - block: the block to call.
  /// - Returns: the object to pass to `removeObserver(_:)`.
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

  /// Calls a block for each notification, on a queue or, with `nil`, on the posting thread.
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

  /// No queue, in Foundation's type.
  private var noQueue: Foundation.OperationQueue? { nil }
}

extension SignalboxOperations.OperationQueue {
  /// Whether the calling thread would wait for itself if it waited for this queue.
  fileprivate var isHere: Bool {
    let type = SignalboxOperations.OperationQueue.self
    return type.current === self || self === type.main && SignalboxThreads.Thread.isMainThread
  }
}

/// A notification that another thread reads while the posting thread waits.
// SAFETY: only one of the two threads uses it at a time.
private struct PassedNotification: @unchecked Sendable {
  let notification: Notification
  init(_ notification: Notification) { self.notification = notification }
}
