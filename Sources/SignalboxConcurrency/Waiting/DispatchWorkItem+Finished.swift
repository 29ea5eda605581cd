// DispatchWorkItem+Finished — a task that waits until a work item has ended.

public import SignalboxDispatch

extension DispatchWorkItem {
  /// Waits until the item has ended, without holding a thread: until it has run, or, where it
  /// was cancelled before, until its queue comes to it. If it has, it returns at once.
  ///
  /// ```swift
  /// let item = DispatchWorkItem { writeIndex() }
  /// queue.async(execute: item)
  /// try await item.finished()
  /// ```
  ///
  /// From any task; other than with `wait()`, several may wait. It costs one allocation. An
  /// item that is never submitted never ends. As with `notify`, an item that is run more than
  /// once traps: which of its ends is meant?
  ///
  /// Cancelling the task does not cancel the item. For both at once there is
  /// ``/SignalboxDispatch/DispatchQueue/perform(qos:flags:_:)``.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before the call or during it: at
  ///   once, and the item remembers nothing of the wait.
  nonisolated(nonsending) public final func finished() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    try await EndWaiter(for: self).wait()
  }
}
