// AsyncNotification — wakes tasks that wait for a change.
//
// Touching    everything: under `lock`. Tasks are resumed without it.
// Invariants  I1  a waiter in the line with a number below `told` is woken by a `post`. A `postOne`
//                 that finds such a waiter first wakes it on behalf of that `post`, and continues
//                 with the next waiter.
//             I2  `keepsOne` ⇒ the line holds no waiters except those of I1.
//             I3  if the task of a `postOne` was cancelled, the post goes to the next task or
//                 is kept.
// Rejected    keeping a `post` for the next task that arrives: that task may have seen the change
//             already, and tasks that arrive later would not be woken.

import SignalboxRuntime

/// Wakes tasks that wait for a change, without occupying a thread.
///
/// ```swift
/// // The only task that takes from `inbox`; any thread may add to it.
/// Task {
///   while true {
///     while let letter = inbox.take() { read(letter) }
///     try await arrived.posted()
///   }
/// }
/// inbox.put(letter)
/// arrived.postOne()
/// ```
///
/// A notification says *look again* and carries no data: the data that has changed is
/// elsewhere, behind a lock or in an actor.
///
/// ### What a post without a waiter does
///
/// - ``postOne()`` is kept for the next task that waits, which then returns at once. At most
///   one is kept, so a task must take everything there is before it waits again, as in the
///   example. Then no letter is left behind, in whatever order the threads call `put`, `postOne`,
///   `take` and `posted`.
/// - ``post()`` is not kept: it wakes the tasks that wait. A task that looks, finds nothing,
///   and then waits could miss a post in between. To avoid that, take the ``moment`` before you
///   look:
///
/// ```swift
/// while true {
///   let moment = changed.moment
///   if document.isComplete { break }
///   // Returns at once if there was a post since then.
///   try await changed.posted(since: moment)
/// }
/// ```
///
/// *Beyond Apple's API.*
public final class AsyncNotification: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private var line = WaiterLine()
  /// The number of posts to all tasks.
  private var posts: UInt64 = 0
  /// The number of the next waiter at the time of the last post.
  private var told: UInt64 = 0
  private var keepsOne = false

  /// Creates a notification.
  public init() {}

  /// A point in the sequence of posts to all tasks.
  public struct Moment: Hashable, Sendable {
    let posts: UInt64
  }

  /// The current point: after all posts so far.
  public var moment: Moment { Moment(posts: lock.withLock { posts }) }

  // MARK: Posting

  /// Wakes all waiting tasks, in the order of their arrival. If none waits, the call has no effect.
  ///
  /// Call it from any thread. The call hands the tasks to their executors one by one, on this
  /// thread.
  public func post() {
    lock.lock()
    posts += 1
    told = line.end
    let end = told
    lock.unlock()
    while let waiter = next(below: end) { waiter.resume() }
  }

  /// Wakes the task that has waited longest. If none waits, the next wait returns at once.
  ///
  /// Call it from any thread. A cancelled task does not consume the post, which goes to another
  /// task or is kept.
  public func postOne() {
    while true {
      lock.lock()
      let waiter = line.removeFirst()
      let isTold = waiter.map { $0.number < told } ?? false
      if waiter == nil { keepsOne = true }
      lock.unlock()
      guard let waiter else { return }
      guard let continuation = waiter.take() else { continue }
      continuation.resume(returning: .came)
      if !isTold { return }
    }
  }

  var waitingCount: Int { lock.withLock { line.count } }

  private func next(below end: UInt64) -> LineWaiter? {
    lock.lock()
    defer { lock.unlock() }
    return line.removeFirst(below: end)
  }

  // MARK: Waiting

  /// Waits for the next post, to all tasks or to this one. If a ``postOne()`` is kept, the call
  /// takes it and returns at once.
  ///
  /// Everything that a thread did before the post is visible to the task after the wait. A wait
  /// costs one allocation, which is freed when the wait is over.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before or during the call: at once.
  ///   The notification then forgets the wait.
  nonisolated(nonsending) public func posted() async throws(CancellationError) {
    try await posted(since: moment)
  }

  /// Waits like ``posted()``, but returns at once if there was a ``post()`` since `moment`.
  ///
  /// - Throws: `CancellationError`, like ``posted()``.
  nonisolated(nonsending) public func posted(
    since moment: Moment
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    if takeKept(since: moment.posts) { return }
    try await LineWaiter(on: self, seen: moment.posts).wait()
  }

  private func takeKept(since seen: UInt64) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if posts != seen { return true }
    defer { keepsOne = false }
    return keepsOne
  }
}

extension AsyncNotification: Awaitable {
  func register(_ waiter: LineWaiter) {
    lock.lock()
    let wasPosted = posts != waiter.seen
    let takesKept = !wasPosted && keepsOne
    if takesKept { keepsOne = false }
    if !wasPosted && !takesKept { line.append(waiter) }
    lock.unlock()
    guard wasPosted || takesKept else { return }
    if let continuation = waiter.take() {
      continuation.resume(returning: .came)
    } else if takesKept {
      postOne()
    }
  }

  func withdraw(_ waiter: LineWaiter) {
    lock.withLock { line.remove(waiter) }
  }
}
