// SignalboxMetrics — what the engine has counted, as values.
//
// The values are here; `SignalboxMetrics+Gathering` in SignalboxDispatch fills them in.

import CSignalbox
import SignalboxRuntime

/// Numbers about the queues, the pools and the timers of the process, to hand
/// to a metrics library.
///
/// ```swift
/// let metrics = SignalboxMetrics.snapshot()
/// for queue in metrics.queues where queue.counts.items > 0 {
///   print(queue.label, queue.counts.items, queue.waiting ?? 0)
/// }
/// ```
///
/// The engine always counts; nothing needs to be switched on. The ``Counts`` of
/// one queue, and those of ``total``, never become smaller. `signalbox metrics PID`
/// prints the same numbers for another process.
///
/// The program keeps running while the snapshot is made, so its parts are from
/// slightly different moments. A forked child begins with the numbers that its
/// parent had.
///
/// *Beyond Apple's API.*
public struct SignalboxMetrics: Sendable {
  /// The time of the snapshot on the monotonic clock, in nanoseconds.
  public let uptime: UInt64
  /// The process ID.
  public let process: Int
  /// Every queue, sorted by label, including those that this library creates for
  /// itself.
  public let queues: [Queue]
  /// The sums of the queues that have been freed.
  public let ended: Counts
  /// The worker pools, from the default priority to the lowest; empty if no
  /// item was ever submitted. A pool of lower priority that is busy at this
  /// moment is left out.
  public let pools: [Pool]
  /// The timers of `asyncAfter`, of timer sources and of sleeping tasks.
  public let timers: Timers
  /// How many descriptors sources and channels watch at this moment; one that
  /// is watched for reading and for writing counts twice.
  public let watchedDescriptors: Int
  /// How long items waited and ran, by queue; empty if
  /// ``measuresTimes`` was never set.
  public let times: [Times]

  package init(
    queues: [Queue], ended: Counts, pools: [Pool], timers: Timers, watchedDescriptors: Int
  ) {
    uptime = Clock.uptime.now
    process = Int(csb_process_id())
    self.queues = queues
    self.ended = ended
    self.pools = pools
    self.timers = timers
    self.watchedDescriptors = watchedDescriptors
    times = QueueTimes.readings
  }

  /// The sums of all queues, freed ones included.
  public var total: Counts {
    queues.reduce(ended) { $0 + $1.counts }
  }

  /// What a queue has counted.
  public struct Counts: Sendable, Equatable {
    /// How many items have begun. The turn of another queue that has this one
    /// as its target is an item, and so is a job of Swift concurrency, and
    /// `asyncAndWait` on a queue that is busy.
    public let items: UInt64
    /// How many calls of `sync` have had the queue to themselves, with or
    /// without a wait, and how many of `asyncAndWait` on a queue that was free.
    /// Calls that share a concurrent queue are not counted.
    public let syncs: UInt64
    /// How many calls of `sync` have waited in the queue for their turn, those
    /// that share a concurrent queue included.
    public let waits: UInt64

    package init(items: UInt64 = 0, syncs: UInt64 = 0, waits: UInt64 = 0) {
      self.items = items
      self.syncs = syncs
      self.waits = waits
    }

    static func + (a: Counts, b: Counts) -> Counts {
      Counts(items: a.items &+ b.items, syncs: a.syncs &+ b.syncs, waits: a.waits &+ b.waits)
    }
  }

  /// A queue.
  public struct Queue: Sendable, Identifiable {
    /// The queue's address. A queue that is created later may have the address
    /// of one that has been freed.
    public let id: UInt
    /// The queue's label. Several queues may have the same one.
    public let label: String
    /// The queue's kind.
    public let kind: SignalboxReport.Queue.Kind
    /// What the queue has counted since it was created.
    public let counts: Counts
    /// How many items and threads in `sync` wait in the queue; nil if they come
    /// and go too fast to count.
    public let waiting: Int?
    /// Whether the queue holds more than ``waiting`` says, because there was a
    /// limit to the count.
    public let hasMore: Bool

    /// How many items have been submitted, and how many threads wait in `sync`:
    /// those that have begun and those that wait. nil if ``waiting`` is not the
    /// whole number.
    ///
    /// The engine does not count submissions, because each would then cost more.
    /// The sum is exact while the queue does not move. Otherwise it may be short by
    /// the items that were taken out of the queue during the count.
    public var submitted: UInt64? {
      hasMore ? nil : waiting.map { counts.items &+ UInt64($0) }
    }

    package init(
      id: UInt, label: String, kind: SignalboxReport.Queue.Kind, counts: Counts, depth: ListDepth
    ) {
      self.id = id
      self.label = label
      self.kind = kind
      self.counts = counts
      switch depth {
      case .exactly(let count): (waiting, hasMore) = (count, false)
      case .atLeast(let count): (waiting, hasMore) = (count, true)
      case .unknown: (waiting, hasMore) = (nil, false)
      }
    }
  }
}
