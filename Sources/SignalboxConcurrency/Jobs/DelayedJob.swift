// DelayedJob — a job of the pool's for which a timer of the driver's waits.
//
// Touching    who makes it, then the poller that finds it due. Nobody can take it back: the
//             runtime has no way to say that a sleep was cancelled.

import SignalboxDispatch
import SignalboxRuntime

struct DelayedJob {
  private let timer: TimerNode
  private let job: UnownedJob

  /// - Parameter leeway: in nanoseconds; where nothing is said a hundredth of the delay, and a
  ///   millisecond at most, so that sleeps of about the same end share a wake-up.
  static func submit(_ job: UnownedJob, at deadline: Deadline, leeway: UInt64?) {
    let now = deadline.clock.now
    if deadline.nanoseconds <= now { return JobQueues.submit(job) }
    let usual = min((deadline.nanoseconds - now) / 100, 1_000_000)
    let pointer = UnsafeMutablePointer<DelayedJob>.allocate(capacity: 1)
    pointer.initialize(
      to: DelayedJob(
        timer: TimerNode(deadline, leeway: leeway ?? usual, isDue, for: .sleep), job: job))
    // SAFETY: the timer is the first field; freed when it is due.
    let timer = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: TimerNode.self)
    Engine.current.driver.arm(timer)
  }

  private static let isDue: TimerNode.Function = { raw in
    let pointer = raw.assumingMemoryBound(to: DelayedJob.self)  // SAFETY: made by `submit`.
    let job = pointer.pointee.job
    pointer.deallocate()
    JobQueues.submit(job)
  }
}
