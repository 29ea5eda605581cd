// Thread+Perform — Apple's performs from thread to thread, with a closure in place of a
// selector and its argument. Everything here is beyond Apple's API, whose forms are methods of
// NSObject.

import SignalboxRuntime
public import SignalboxThreads

extension Thread {
  /// Makes a thread's run loop perform a block once, and optionally waits for it.
  ///
  /// ```swift
  /// // On `worker`, whose loop has something to wait for:
  /// while !isOver { RunLoop.current.run(mode: .default, before: .distantFuture) }
  /// // On any other thread:
  /// try Thread.perform(on: worker, waitUntilDone: true) { isOver = true }
  /// ```
  ///
  /// The call wakes the loop. The loop performs the blocks in the order of submission, in the
  /// first pass in one of the modes; each counts as a handled input source. A thread whose loop
  /// does not run yet performs the block once it does. On the calling thread itself, the block
  /// runs at once if you wait for it, and otherwise in the loop's next pass.
  ///
  /// Call it from any thread. Without a wait, it costs one or two allocations, and a system
  /// call if the loop sleeps. While a worker of the queues waits, another worker takes its
  /// place. Threads that wait for each other trap with a message that names them.
  ///
  /// *Beyond Apple's API.* The counterpart is `perform(_:on:with:waitUntilDone:modes:)` of
  /// `NSObject`, with a selector; there, a wait for a thread without a running loop never ends.
  ///
  /// - Parameters:
  ///   - thread: the thread.
  ///   - wait: whether to return only after the block has run.
  ///   - modes: the modes in which the block may run. With an empty array, the call does nothing.
  ///   - block: the block to run.
  /// - Throws: ``SignalboxRunLoop/PerformError/threadEnded`` if the thread has ended, or ends
  ///   during the wait; ``SignalboxRunLoop/PerformError/noRunningLoop`` if you wait and the
  ///   thread runs no loop for a second. In both cases the block does not run.
  @available(*, noasync)
  public static func perform(
    on thread: Thread, waitUntilDone wait: Bool, modes: [RunLoop.Mode] = [.common],
    block: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    if modes.isEmpty { return }
    if !wait {
      guard let loop = CFRunLoop.of(thread), loop.call(.init(modes), awaitedBy: nil, block) else {
        throw .threadEnded
      }
      return
    }
    if thread === Thread.current { return block() }
    if thread.record.life.phase == .fresh { throw .noRunningLoop }
    let call = PerformCall()
    guard let loop = CFRunLoop.of(thread),
      loop.call(
        .init(modes), awaitedBy: call,
        {
          guard call.begin() else { return }
          block()
          call.finish()
        })
    else { throw .threadEnded }
    defer { loop.forget(call) }
    do throws(PerformError) {
      try call.wait(for: loop)
    } catch {
      throw thread.isFinished ? .threadEnded : error
    }
  }

  /// Makes the main run loop perform a block; see ``perform(on:waitUntilDone:modes:block:)``.
  ///
  /// *Beyond Apple's API.* The counterpart is
  /// `performSelector(onMainThread:with:waitUntilDone:modes:)` of `NSObject`.
  @available(*, noasync)
  public static func performOnMainThread(
    waitUntilDone wait: Bool, modes: [RunLoop.Mode] = [.common],
    block: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    try perform(on: .main, waitUntilDone: wait, modes: modes, block: block)
  }

  /// Runs a block on a new, detached thread.
  ///
  /// *Beyond Apple's API.* The counterpart is `performSelector(inBackground:with:)` of
  /// `NSObject`.
  public static func performInBackground(_ block: @escaping @Sendable () -> Void) {
    detachNewThread(block)
  }
}
