// SleepWaiter — the wait of a task for a point in time: a timer of the driver's.

import SignalboxRuntime

final class SleepWaiter: Waiter, @unchecked Sendable {
  // SAFETY: the timer is the driver's from `enlist` until one of the two takes it out.
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

  /// Sleeps until `deadline`, and longer by `tolerance` at most; if nothing is said, by a
  /// hundredth of the time and by a millisecond at most, as `asyncAfter`.
  static func sleep(
    until deadline: Deadline, tolerance: Duration?
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    let now = deadline.clock.now
    // Others get their turn all the same.
    if deadline.nanoseconds <= now { return await Task.yield() }
    let leeway = tolerance?.nanoseconds
    try await SleepWaiter(
      deadline, leeway: leeway ?? min((deadline.nanoseconds - now) / 100, 1_000_000)
    ).wait()
  }
}
