// DispatchGroup+Finished — a task's wait until a group is empty.

public import SignalboxDispatch

extension DispatchGroup {
  /// Waits until the group is empty, without occupying a thread. Returns at once if it is.
  ///
  /// ```swift
  /// let group = DispatchGroup()
  /// for page in pages {
  ///   DispatchQueue.global().async(group: group) { render(page) }
  /// }
  /// try await group.finished()
  /// ```
  ///
  /// Call it from any task. Several tasks may wait; they resume in the order of their arrival.
  /// Everything that the members did is visible to the task after the wait. A wait costs one
  /// allocation, which is freed when the wait is over.
  ///
  /// The deadlock search does not see a waiting task, because it blocks no thread.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Throws: `CancellationError` if the task is cancelled before or during the call: at once.
  ///   The group then forgets the wait, and the members continue.
  nonisolated(nonsending) public final func finished() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    try await EndWaiter(for: self).wait()
  }
}
