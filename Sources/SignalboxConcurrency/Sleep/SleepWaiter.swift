// SleepWaiter — a task that waits until a given time, with one of the driver's timers.

import SignalboxRuntime

final class SleepWaiter: Waiter, @unchecked Sendable {
  // SAFETY: the driver owns the timer from `enlist` until it fires or `withdraw` removes it.
  private let timer: OwnedNode<TimerNode>

  init(_ deadline: Deadline, leeway: UInt64) {
    timer = OwnedNode(
      TimerNode(
        deadline, leeway: leeway, { OwnedNode<TimerNode>.takeOwner($0).resume() }, for: .sleep))
  }

  override func enlist() {
    timer.keep(self)
    Engine.driver._withUnsafeGuaranteedRef { $0.arm(timer.pointer) }
  }

  override func withdraw() {
    let wasPending = Engine.driver._withUnsafeGuaranteedRef { $0.cancel(timer.pointer) }
    if wasPending { _ = timer.takeOwner() }
  }

  /// Sleeps until `deadline`, and at most `tolerance` longer. The default tolerance is a
  /// hundredth of the time, at most a millisecond, as with `asyncAfter`.
  static func sleep(
    until deadline: Deadline, tolerance: Duration?
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    let now = deadline.clock.now
    // Gives other tasks their turn even so.
    if deadline.nanoseconds <= now { return await Task.yield() }
    let leeway = tolerance?.nanoseconds
    try await SleepWaiter(
      deadline, leeway: leeway ?? min((deadline.nanoseconds - now) / 100, 1_000_000)
    ).wait()
  }
}
