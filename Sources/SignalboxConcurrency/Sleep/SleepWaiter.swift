// SleepWaiter — a task that waits until a given time, with one of the driver's timers.

import SignalboxRuntime

final class SleepWaiter: Waiter, @unchecked Sendable {
  // SAFETY: the driver owns the timer from `register` until it fires or `withdraw` removes it.
  private let timer: OwnedNode<TimerNode>

  init(_ deadline: Deadline, leeway: TimerNode.Leeway) {
    timer = OwnedNode(
      TimerNode(
        deadline, leeway: leeway, { OwnedNode<TimerNode>.takeOwner($0).resume() }, for: .sleep))
  }

  override func register() {
    timer.keep(self)
    Engine.driver._withUnsafeGuaranteedRef { $0.arm(timer.pointer) }
  }

  override func withdraw() {
    let wasPending = Engine.driver._withUnsafeGuaranteedRef { $0.cancel(timer.pointer) }
    if wasPending { _ = timer.takeOwner() }
  }

  /// Sleeps until `deadline`, and at most `tolerance` longer. Without a tolerance, the usual leeway
  /// holds, as with `asyncAfter`.
  static func sleep(
    until deadline: Deadline, tolerance: Duration?
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    let now = deadline.clock.now
    // Let other tasks run even if the deadline has passed.
    if deadline.nanoseconds <= now { return await Task.yield() }
    let leeway = tolerance.map { TimerNode.Leeway.given($0.nanoseconds) }
    try await SleepWaiter(deadline, leeway: leeway ?? .usual(from: now)).wait()
  }
}
