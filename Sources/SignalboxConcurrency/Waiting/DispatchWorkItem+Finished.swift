// DispatchWorkItem+Finished — a task's wait until a work item has ended.

public import SignalboxDispatch

extension DispatchWorkItem {
  /// Waits until the item has ended, without occupying a thread: until it has run or, if it was
  /// cancelled before that, until its queue reaches it. Returns at once if it has ended.
  ///
  /// ```swift
  /// let item = DispatchWorkItem { writeIndex() }
  /// queue.async(execute: item)
  /// try await item.finished()
  /// ```
  ///
  /// Call it from any task. Unlike with `wait()`, several tasks may wait. It costs one
  /// allocation. An item that is never submitted never ends. The end of an item that runs
  /// more than once is the end of its first run; as with `notify`, the call traps if the item
  /// has ended more than once already.
  ///
  /// Cancelling the task does not cancel the item. To cancel both at once, use
  /// ``/SignalboxDispatch/DispatchQueue/perform(qos:flags:_:)``.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Throws: `CancellationError` if the task is cancelled before or during the call: at once.
  ///   The item then forgets the wait.
  nonisolated(nonsending) public final func finished() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    try await EndWaiter(for: self).wait()
  }
}
