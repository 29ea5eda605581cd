// ItemWaiter — a task's wait for the value of a closure that a queue runs.
//
// Touching    `work`: the task until it registers; then the side that ends the wait: the item
//             that has taken it, or the cancellation. `result`: the item before it resumes the
//             task; then the task.

import SignalboxDispatch

final class ItemWaiter<Value: Sendable>: Waiter, @unchecked Sendable {
  // SAFETY: see Touching.
  typealias Work = @Sendable () throws -> Value

  // SAFETY: see `EndWaiter.work`.
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

  override func register() { queue.async(qos: qos, flags: flags) { self.run() } }

  /// Frees the closure's captures now. The item stays in its queue's list, which allows no removal
  /// from the middle, and later finds nothing to do.
  override func withdraw() { work = nil }

  private func run() {
    guard let continuation = take() else { return }
    if let work { result = Result { try work() } }
    // Frees the captures before the task continues, which the task may rely on.
    work = nil
    continuation.resume(returning: .came)
  }
}
