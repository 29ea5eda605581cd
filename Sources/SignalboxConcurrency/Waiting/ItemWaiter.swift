// ItemWaiter — the wait of a task for the value of a closure that a queue runs.
//
// Touching    `work`: the task, until it enlists; then whoever ends the wait: the item that
//             has taken it, or the cancellation. `result`: the item, before it resumes the
//             task; then the task.

import SignalboxDispatch

final class ItemWaiter<Value: Sendable>: Waiter, @unchecked Sendable {
  // SAFETY: see Touching.
  typealias Work = @Sendable () throws -> Value

  // SAFETY: as that of an `EndWaiter`.
  private unowned(unsafe) let queue: DispatchQueue
  private let qos: DispatchQoS
  private let flags: DispatchWorkItemFlags
  private var work: Work?
  private(set) var result: Result<Value, any Error>?

  init(
    _ work: @escaping Work, on queue: DispatchQueue, _ qos: DispatchQoS,
    _ flags: DispatchWorkItemFlags
  ) {
    self.work = work
    self.queue = queue
    self.qos = qos
    self.flags = flags
  }

  override func enlist() { queue.async(qos: qos, flags: flags) { self.run() } }

  /// The item stays in its queue's list, which nothing can be taken out of in the middle, and
  /// finds nothing to do. What the closure captured goes now.
  override func withdraw() { work = nil }

  private func run() {
    guard let continuation = take() else { return }
    if let work { result = Result { try work() } }
    // Before the task goes on, so that it may count on it.
    work = nil
    continuation.resume(returning: .came)
  }
}
