// DispatchGroup+Finished — a task that waits until a group is empty.

public import SignalboxDispatch

extension DispatchGroup {
  /// Waits until the group is empty, without holding a thread. If it is, it returns at once.
  ///
  /// ```swift
  /// let group = DispatchGroup()
  /// for page in pages {
  ///   DispatchQueue.global().async(group: group) { render(page) }
  /// }
  /// try await group.finished()
  /// ```
  ///
  /// From any task; any number of them may wait, and they are resumed in the order in which
  /// they came. What the members did comes before what the task does next. A wait costs one
  /// allocation, which is freed when it is over.
  ///
  /// A task that waits is no edge for the search for deadlocks: no thread of it is blocked.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before the call or during it: at
  ///   once, and the group remembers nothing of the wait. The members go on.
  nonisolated(nonsending) public final func finished() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    try await EndWaiter(for: self).wait()
  }
}
