// Thread+Perform — Apple's performs from thread to thread, with a closure in place of a
// selector and its argument. All of it beyond Apple's API, whose forms are methods of
// NSObject.

import SignalboxRuntime
public import SignalboxThreads

extension Thread {
  /// Has a thread's run loop perform a block, once, and waits for that if it is wanted.
  ///
  /// ```swift
  /// // On `worker`, whose loop has something to wait for:
  /// while !isOver { RunLoop.current.run(mode: .default, before: .distantFuture) }
  /// // On any other thread:
  /// try Thread.perform(on: worker, waitUntilDone: true) { isOver = true }
  /// ```
  ///
  /// The loop is woken. What was given to it is performed in that order, in the first pass in
  /// one of the modes, and counts as an input source that was handled. A thread that has not
  /// run its loop yet performs it when it does. Given to the calling thread itself, the block
  /// runs at once if it is to be waited for, and else in the loop's next pass.
  ///
  /// Any thread. Without a wait it costs an allocation or two, and a system call if the loop
  /// sleeps. A worker of the queues that waits is replaced by another one meanwhile; threads
  /// that wait for each other trap with a message that names them.
  ///
  /// *Beyond Apple's API.* There it is
  /// `perform(_:on:with:waitUntilDone:modes:)` of `NSObject`, with a selector, and one that is
  /// waited for on a thread without a running loop waits for ever.
  ///
  /// - Parameters:
  ///   - thread: which thread.
  ///   - wait: whether to come back only when the block has run.
  ///   - modes: in which modes. With none of them nothing is done.
  ///   - block: what to do there.
  /// - Throws: ``SignalboxRunLoop/PerformError/threadEnded`` if the thread has ended, or ends
  ///   while it is waited for; ``SignalboxRunLoop/PerformError/noRunningLoop`` if it is to be
  ///   waited for and for a second the thread runs no loop. The block does not run then.
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

  /// Has the main run loop perform a block, as ``perform(on:waitUntilDone:modes:block:)``.
  ///
  /// *Beyond Apple's API.* There it is `performSelector(onMainThread:with:waitUntilDone:modes:)`
  /// of `NSObject`.
  @available(*, noasync)
  public static func performOnMainThread(
    waitUntilDone wait: Bool, modes: [RunLoop.Mode] = [.common],
    block: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    try perform(on: .main, waitUntilDone: wait, modes: modes, block: block)
  }

  /// Runs a block on a new thread, which nobody waits for.
  ///
  /// *Beyond Apple's API.* There it is `performSelector(inBackground:with:)` of `NSObject`.
  public static func performInBackground(_ block: @escaping @Sendable () -> Void) {
    detachNewThread(block)
  }
}
