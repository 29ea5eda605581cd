// PoolMetrics — what a pool and the driver have counted.

package import CSignalbox
package import SignalboxRuntime

extension SignalboxMetrics {
  /// The worker threads of one priority.
  public struct Pool: Sendable {
    /// "default", "utility" or "background".
    public let name: String
    /// How many workers exist.
    public let workers: Int
    /// How many of them run something, or look for something to run.
    public let running: Int
    /// How many sleep, because there is nothing for them to run.
    public let parked: Int
    /// How many wait in a call of this library, such as `sync` or a lock.
    public let blocked: Int
    /// How many the pool has found blocked in another call, such as `read`.
    public let stalled: Int
    /// How many wait for timers and descriptors, or watch the others.
    public var other: Int { max(0, workers - running - parked - blocked - stalled) }
    /// How many runnables, mostly queues to be drained, wait for a worker.
    public let pending: Int
    /// How many workers the pool has started.
    public let started: UInt64
    /// How often the pool let another worker replace one that blocked: because work waited in the
    /// pool, or because the worker blocked outside this library.
    public let replaced: UInt64
    /// How many runnables a worker took that another one had kept for itself.
    public let stolen: UInt64

    /// nil if the pool's lock is held.
    package init?(_ pool: SignalboxRuntime.Pool) {
      guard let (counts, workers, running) = pool.counts else { return nil }
      name = pool.tier.name
      self.workers = workers
      self.running = running
      parked = Int(counts.parked)
      blocked = Int(counts.blocked)
      stalled = Int(counts.counted_out)
      pending = pool.pending
      started = counts.started
      replaced = counts.replaced
      stolen = counts.stolen
    }
  }

  /// How many timers there are, and how late they are.
  public struct Timers: Sendable {
    /// How many are pending at this moment.
    public let armed: Int
    /// How many deadlines have passed and been noticed.
    public let fired: UInt64
    /// The sum of the times from each deadline until it was noticed, in
    /// nanoseconds. A timer may be late on purpose, by up to its leeway.
    public let late: UInt64
    /// The longest of these times, in nanoseconds.
    public let latest: UInt64

    package init(_ counts: csb_outside_timers) {
      armed = Int(counts.armed)
      fired = counts.fired
      late = counts.late
      latest = counts.latest
    }
  }
}
