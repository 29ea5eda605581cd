// AsyncNotification — tasks that wait until they are told that something has changed.
//
// Touching    everything: under `lock`. Tasks are resumed without it.
// Invariants  I1  a task that stands in the line with a number below `told` is woken by a
//                 `post`: a `postOne` that comes upon it wakes it for that one, and goes on to
//                 the next.
//             I2  `keepsOne` ⇒ no task stands in the line but those of I1.
//             I3  a `postOne` whose task was cancelled meanwhile goes to the next one, or is
//                 kept.
// Rejected    to keep a `post` for whoever comes next: it would be told of what it has seen
//             long ago, once, and then of nothing.

import SignalboxRuntime

/// Where tasks wait to be told that something has changed; no thread waits with them.
///
/// ```swift
/// // The only one that takes out of `inbox`, which any thread puts into.
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
/// A notification says *look again*, and carries nothing: what has changed stands elsewhere,
/// behind a lock or in an actor.
///
/// ### What a post without a waiter does
///
/// - ``postOne()`` is kept for the next task that comes, which then does not wait. One is
///   kept, however many there were: whoever comes must take all there is before it waits
///   again, as in the example. So no order of `put` and `postOne` against `take` and `posted`
///   leaves a letter lying.
/// - ``post()`` is not kept: it tells those who wait. Whoever looks, finds nothing, and then
///   begins to wait could miss the one between. It takes the ``moment`` before it looks:
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
  /// How many posts there were to all.
  private var posts: UInt64 = 0
  /// The end of the line at the last of them.
  private var told: UInt64 = 0
  private var keepsOne = false

  /// A notification for which nobody waits yet.
  public init() {}

  /// A point in the sequence of posts to all.
  public struct Moment: Hashable, Sendable {
    let posts: UInt64
  }

  /// Now: after all posts that there were.
  public var moment: Moment { Moment(posts: lock.withLock { posts }) }

  // MARK: Posting

  /// Wakes every task that waits, in the order in which they came. If none does, nothing
  /// happens, now or later.
  ///
  /// From any thread. The tasks are handed to their executors one by one, on this thread.
  public func post() {
    lock.lock()
    posts += 1
    told = line.end
    let end = told
    lock.unlock()
    while let waiter = next(below: end) { waiter.resume() }
  }

  /// Wakes the task that has waited longest. If none waits, the next one to come does not.
  ///
  /// From any thread. A task that is cancelled does not use it up: it goes to another one, or
  /// is kept.
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

  /// How many tasks stand in line.
  var waitingCount: Int { lock.withLock { line.count } }

  private func next(below end: UInt64) -> LineWaiter? {
    lock.lock()
    defer { lock.unlock() }
    return line.removeFirst(below: end)
  }

  // MARK: Waiting

  /// Waits for the next post, to all or to this task. If a ``postOne()`` is kept, it takes that
  /// and returns at once.
  ///
  /// What came before the post on its thread comes before what this task does next. A wait
  /// costs one allocation, which is freed when it is over.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before the call or during it: at
  ///   once, and the notification remembers nothing of the wait.
  nonisolated(nonsending) public func posted() async throws(CancellationError) {
    try await posted(since: moment)
  }

  /// Waits as ``posted()``, unless there was a ``post()`` since `moment`: then it returns at
  /// once.
  ///
  /// - Throws: as ``posted()``.
  nonisolated(nonsending) public func posted(
    since moment: Moment
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    if takeKept(since: moment.posts) { return }
    try await LineWaiter(at: self, seen: moment.posts).wait()
  }

  private func takeKept(since seen: UInt64) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if posts != seen { return true }
    defer { keepsOne = false }
    return keepsOne
  }
}

extension AsyncNotification: WaitingPlace {
  func enlist(_ waiter: LineWaiter) {
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
