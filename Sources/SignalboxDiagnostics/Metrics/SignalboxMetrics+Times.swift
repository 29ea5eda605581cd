// SignalboxMetrics+Times — how long items waited and ran, as values.
//
// SIGNALBOX_METRICS  times: measure them from the start. Not set: they are not measured.

import CSignalbox
import SignalboxRuntime

extension SignalboxMetrics {
  /// Whether the engine measures how long items wait and run.
  ///
  /// By default it does not. It does from the start if the environment variable
  /// `SIGNALBOX_METRICS` is `times`. While it does, each item costs three
  /// readings of the clock and some ten atomic additions, and a `sync` two
  /// readings and three additions. While it does not, nothing takes longer.
  ///
  /// ```swift
  /// SignalboxMetrics.measuresTimes = true
  /// // … later
  /// for times in SignalboxMetrics.snapshot().times {
  ///   print(times.label, times.waiting.quantile(0.99), times.running.maximum)
  /// }
  /// ```
  ///
  /// Set it from any thread. It applies to the whole process. If you set it to
  /// false, the results stay, and a later measurement adds to them. The
  /// memory, at most 5 MiB, is then not freed either. If the system refuses that
  /// memory, the value stays false, with a line on standard error.
  public static var measuresTimes: Bool {
    get { QueueTimes.isOn }
    set { newValue ? beginTimes() : endTimes() }
  }

  private static func beginTimes() {
    Fork.join(
      .queueTimes, prepare: { QueueTimes.shared?.lockForFork() },
      release: { QueueTimes.shared?.unlockAfterFork() },
      child: { QueueTimes.shared?.forgetAfterFork() }, making: { LazyStatics.forceTimes() })
    guard let times = QueueTimes.shared else {
      return warn("the times of queues are not measured: the system refuses the memory.")
    }
    ProbeSubscribers.shared.measure(QueueTimes.kinds) { times.begin() }
  }

  private static func endTimes() {
    guard QueueTimes.isOn, let times = QueueTimes.shared else { return }
    ProbeSubscribers.shared.measure([]) { times.end() }
  }

  /// How long the items of one or several queues waited and ran.
  public struct Times: Sendable {
    /// The beginning of the queue's label, up to 63 bytes; empty for
    /// ``Scope/others``.
    public let label: String
    /// The queue's address; nil for several queues.
    public let id: UInt?
    /// The kind of the queue, or of all of these queues; nil for
    /// ``Scope/others``.
    public let kind: SignalboxReport.Queue.Kind?
    /// Which queues the times belong to.
    public let scope: Scope
    /// From the submission of an item until it began, and how long calls of
    /// `sync` waited in the queue. A call of `sync` that found the queue free is
    /// not counted.
    public let waiting: Histogram
    /// How long the items and calls of `sync` that have ended ran. The turn of
    /// another queue that has this one as its target counts as an item.
    public let running: Histogram
    /// The most items that waited at one time while times were measured,
    /// including those just being submitted; for several queues, the largest
    /// such number. Threads in `sync` do not count.
    public let mostWaiting: Int
    /// How many items were submitted without a time, because there was no room
    /// for one: at most 131,072 items can wait with a time, in all queues
    /// together, and sometimes fewer. They are missing from ``waiting`` and
    /// ``mostWaiting``.
    public let unmeasured: UInt64

    /// Which queues times belong to.
    public enum Scope: Sendable {
      /// One queue.
      case queue
      /// The queues with this label and kind that have been freed.
      case ended
      /// All queues without an element of their own, because there are at most
      /// 127 of those: queues for which there was no room when they were first
      /// used, and freed queues whose room a new queue took.
      case others
    }

    /// nil for a row that nobody uses, and for the row of all other queues if it is empty.
    init?(_ row: TimeRow) {
      switch row.use {
      case .none: return nil
      case .queue: scope = .queue
      case .ended: scope = .ended
      case .others: scope = .others
      }
      label = row.label.text
      id = scope == .queue ? UInt(row.object) : nil
      kind =
        scope == .others
        ? nil
        : TraceQueueKind(rawValue: UInt8(truncatingIfNeeded: row.kind)).flatMap {
          SignalboxReport.Queue.Kind(rawValue: "\($0)")
        }
      waiting = Histogram(row.waits)
      running = Histogram(row.runs)
      mostWaiting = Int(row.mostWaiting)
      unmeasured = row.unmeasured
      if scope == .others, waiting.count == 0, running.count == 0, unmeasured == 0 { return nil }
    }
  }

  /// A histogram of measured times, in nanoseconds.
  public struct Histogram: Sendable {
    /// How many times were measured.
    public let count: UInt64
    /// Their sum, in nanoseconds.
    public let sum: UInt64
    /// The longest of them, in nanoseconds; 0 if there is none.
    public let maximum: UInt64
    /// The buckets that are not empty, from the shortest times to the longest. A
    /// bucket is a nanosecond wide, or at most a thirty-second of its times.
    public let buckets: [Bucket]

    /// How many times were measured between two bounds.
    public struct Bucket: Sendable {
      /// Each time is above this, in nanoseconds, or both are 0.
      public let lowerBound: UInt64
      /// No time is above this, in nanoseconds. It is `UInt64.max` for the last
      /// bucket, which holds all times above 39 hours.
      public let upperBound: UInt64
      /// How many times are in the bucket.
      public let count: UInt64
    }

    init(_ histogram: TimeHistogram) {
      let counts = histogram.buckets
      buckets = counts.indices.filter { counts[$0] != 0 }.map {
        Bucket(
          lowerBound: TimeBuckets.lowerBound(of: $0),
          upperBound: $0 == TimeBuckets.count - 1 ? .max : TimeBuckets.upperBound(of: $0),
          count: counts[$0])
      }
      count = buckets.reduce(0) { $0 + $1.count }
      sum = histogram.sum
      maximum = histogram.longest
    }

    /// The time, in nanoseconds, that the given part of all times does not exceed;
    /// at most 1.6 percent too short or too long; 0 if there are no times.
    ///
    /// - Parameter part: 0.5 for the median, 0.99 for the time that one in a
    ///   hundred exceeds. Less than 0 is taken for 0, and more than 1 for 1.
    public func quantile(_ part: Double) -> UInt64 {
      guard count > 0 else { return 0 }
      let wanted = max(1, (min(max(part, 0), 1) * Double(count)).rounded(.up))
      var seen: UInt64 = 0
      for bucket in buckets {
        seen += bucket.count
        guard Double(seen) >= wanted else { continue }
        let upper = min(bucket.upperBound, maximum)
        return upper <= bucket.lowerBound
          ? upper : bucket.lowerBound + (upper - bucket.lowerBound + 1) / 2
      }
      return maximum
    }
  }
}

/// `CSignalbox` calls this before `main` if `SIGNALBOX_METRICS` is set.
@_cdecl("csb_metrics_begin")
func beginMetrics(_ wanted: UnsafePointer<CChar>) {
  let text = String(cString: wanted)
  guard text == "times" else {
    return warn("SIGNALBOX_METRICS=\(text) is ignored: it must be \"times\".")
  }
  SignalboxMetrics.measuresTimes = true
}
