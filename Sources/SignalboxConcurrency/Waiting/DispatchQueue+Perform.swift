// DispatchQueue+Perform — a task's wait for the value of a closure that a queue runs.

public import SignalboxDispatch
import SignalboxRuntime

extension DispatchQueue {
  /// Runs `work` as an item of the queue and returns its value.
  ///
  /// ```swift
  /// let rows = try await database.perform { try select("SELECT …") }
  /// ```
  ///
  /// Call it from any task; no thread waits for the item. The queue treats it like any item of
  /// `async(qos:flags:execute:)`: in order, and one at a time on a serial queue. It costs one
  /// allocation, in addition to the closure's captures and the item's node.
  ///
  /// The closure runs on a thread of the queue, outside the task: it cannot `await`, sees no
  /// task-local values, and `Task.isCancelled` is false there. Its captures are freed before
  /// the task continues.
  ///
  /// If you cancel the task before the item has begun, the item never runs and its captures are
  /// freed at once, even if the queue is suspended or busy; an empty item stays in the queue's
  /// list until the queue reaches it. If the item has begun, the call waits for it and returns
  /// its value, because nothing can stop a closure.
  ///
  /// If a task holds up what the item needs, such as an actor that the item waits for with a
  /// semaphore, the call waits forever. No report shows it, because tasks have no threads.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameters:
  ///   - qos: the urgency of the item, as in `async`.
  ///   - flags: with `.barrier`, the item runs alone on a concurrent queue; the other flags decide
  ///     which quality of service applies.
  ///   - work: the closure to run.
  /// - Throws: any error of `work`; `CancellationError` if the task was cancelled before the
  ///   item began.
  nonisolated(nonsending) public final func perform<Value: Sendable>(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    if Task.isCancelled { throw CancellationError() }
    let waiter = ItemWaiter(work, on: self, qos, flags)
    try await waiter.wait()
    guard let result = waiter.result else { internalBug("an item ended without a result") }
    return try result.get()
  }
}
