// DispatchSerialQueue+SerialExecutor — serial queues as actor executors.

import SignalboxDispatch
import SignalboxRuntime

/// A serial queue can be an actor's executor:
///
/// ```swift
/// actor Ledger {
///   private let queue = DispatchSerialQueue(label: "com.example.ledger")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
/// }
/// ```
///
/// The actor's calls and the queue's other items then run one at a time, and
/// `assumeIsolated` holds within any item of the queue or of one that targets it.
///
/// The runtime keeps no reference to an executor, so the actor must keep one, as above. Pending
/// items keep the queue alive.
///
/// Source: Apple's documentation of `DispatchSerialQueue`.
extension DispatchSerialQueue: SerialExecutor {
  /// Submits a job of an actor that runs on the queue, as an item. Swift's runtime calls it;
  /// for a task that prefers the queue, the runtime calls the method that takes an
  /// `UnownedJob`.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: see `JobItem.queue`.
    let own = Unmanaged<DispatchQueue>.passUnretained(self)
    submit(JobItem.make(job, for: own, runIsolated, flags: Item.Flags(job.urgency)))
  }

  /// Returns true if this thread runs an item of the queue or of one that targets it, otherwise
  /// nil; an assertion then calls `checkIsolated()`, whose message gives details.
  public func isIsolatingCurrentContext() -> Bool? {
    _dispatchPreconditionTest(.onQueue(self)) ? true : nil
  }

  /// Traps with the queue's name if this thread does not run one of its items.
  public func checkIsolated() {
    if _dispatchPreconditionTest(.onQueue(self)) { return }
    let current = DispatchQueue.currentLabel.map { "on the queue \"\($0)\"" } ?? "on no queue"
    clientBug(
      "code that claims to be isolated to an actor on the queue \"\(label)\" runs \(current): call "
        + "it with await, or from an item of that queue.")
  }
}

private let runIsolated: Item.Function = { raw in
  let contents = JobItem.take(raw)
  contents.queue?._withUnsafeGuaranteedRef { queue in
    // SAFETY: only `enqueue` above makes such an item.
    let queue = unsafeDowncast(queue, to: DispatchSerialQueue.self)
    contents.job.run { $0.runSynchronously(on: queue.asUnownedSerialExecutor()) }
  }
}
