// DispatchQueue+Perform — a task that waits for the value of a closure run by a queue.

public import SignalboxDispatch
import SignalboxRuntime

extension DispatchQueue {
  /// Runs `work` as an item of the queue and gives back its value.
  ///
  /// ```swift
  /// let rows = try await database.perform { try select("SELECT …") }
  /// ```
  ///
  /// From any task; no thread waits for the item. The queue treats it as any other item of
  /// `async(qos:flags:execute:)`: in order, one at a time on a serial queue. Besides the
  /// closure's captures and the item's node it costs one allocation.
  ///
  /// The closure runs on a thread of the queue, outside the task: it cannot `await`, sees no
  /// task-local values, and `Task.isCancelled` is false there. What it captured is freed before
  /// the task goes on.
  ///
  /// Cancelling the task before the item has begun takes the item back: it never runs, and
  /// what it captured is freed, at once, also where the queue is suspended or busy; an empty
  /// item stays in the queue's list until the queue comes to it. An item that has begun is
  /// waited for, as nothing can stop a closure, and its value is returned.
  ///
  /// A task that holds up what the item needs, such as an actor that the item waits for with a
  /// semaphore, waits for ever, and is in no report: tasks have no threads.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameters:
  ///   - qos: how urgent the item is; as in `async`.
  ///   - flags: with `.barrier` it runs alone on a concurrent queue; the others say which
  ///     quality of service counts.
  ///   - work: what to run.
  /// - Throws: what `work` throws; `CancellationError` if the task was cancelled before the
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
