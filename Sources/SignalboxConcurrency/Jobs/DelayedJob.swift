// DelayedJob — a job of the pool that waits for a timer of the driver.
//
// Touching    the thread that creates it, then the poller that finds it due. It cannot be
//             cancelled: the runtime does not report that a sleep was cancelled.

import SignalboxDispatch
import SignalboxRuntime

struct DelayedJob {
  private let timer: TimerNode
  private let job: UnownedJob

  /// - Parameter leeway: in nanoseconds; nil for the usual one, as with `asyncAfter`.
  static func submit(_ job: UnownedJob, at deadline: Deadline, leeway: UInt64?) {
    let now = deadline.clock.now
    if deadline.nanoseconds <= now { return JobQueues.submit(job) }
    let pointer = UnsafeMutablePointer<DelayedJob>.allocate(capacity: 1)
    pointer.initialize(
      to: DelayedJob(
        timer: TimerNode(
          deadline, leeway: leeway.map { .given($0) } ?? .usual(from: now), isDue, for: .sleep),
        job: job))
    // SAFETY: the timer is the first field; the memory is freed when the timer is due.
    let timer = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: TimerNode.self)
    Engine.current.driver.arm(timer)
  }

  private static let isDue: TimerNode.Function = { raw in
    let pointer = raw.assumingMemoryBound(to: DelayedJob.self)  // SAFETY: allocated by `submit`.
    let job = pointer.pointee.job
    pointer.deallocate()
    JobQueues.submit(job)
  }
}
