// ReportedLoop — a run loop and a pool in a report.

package import SignalboxRuntime

extension SignalboxReport {
  /// A thread's run loop.
  public struct RunLoop: Sendable {
    /// The number of the loop's thread; nil if that thread has not used the
    /// loop yet.
    public let thread: Int?
    /// Whether it is the main thread's run loop.
    public let isMain: Bool
    /// The mode in which the loop runs; nil if it does not run.
    public let mode: String?
    /// The number of nested runs.
    public let depth: Int
    /// Whether the loop sleeps.
    public let isAsleep: Bool
    /// The last step that the loop reached, if it runs and is awake: "9 a timer
    /// fires". The number is that of the sequence in Apple's "Run Loops".
    public let step: String?
    /// How many timers the mode has.
    public let timers: Int
    /// Nanoseconds until the first timer must fire, negative if it is late; nil
    /// if no timer is set.
    public let nextTimer: Int64?
    /// How many blocks from other threads wait to be performed.
    public let blocks: Int
    /// The name of the loop in messages.
    private let title: String

    /// - Parameter thread: the number of the loop's thread; 0 if it has none yet.
    package init(
      thread: UInt32, isMain: Bool, mode: String?, depth: Int, isAsleep: Bool, step: String?,
      timers: Int, nextTimer: Int64?, blocks: Int
    ) {
      self.thread = thread == 0 ? nil : Int(thread)
      self.isMain = isMain
      self.mode = mode
      self.depth = depth
      self.isAsleep = isAsleep
      self.step = step
      self.timers = timers
      self.nextTimer = nextTimer
      self.blocks = blocks
      title = isMain ? "the main run loop" : "the run loop of \(ThreadName.of(thread))"
    }

    /// Formats the step's number and text.
    private static func at(_ step: String) -> String {
      let parts = step.split(separator: " ", maxSplits: 1)
      return ", at step " + parts.joined(separator: ": ")
    }

    private static func due(_ time: Int64) -> String {
      time > 0
        ? ", its next timer is due in \(WaitLength(nanoseconds: UInt64(time)).words)"
        : ", its next timer is due now"
    }

    /// The loop's line in a report.
    var words: String {
      let blocks = blocks > 0 ? "; " + counted(blocks, "block", one: "waits", many: "wait") : ""
      guard let mode else { return title + " does not run" + blocks }
      return title + " \(isAsleep ? "sleeps" : "is awake") in the mode \(ReportWords.quoted(mode))"
        + (depth > 1 ? ", in \(depth) nested runs" : "") + (step.map(RunLoop.at) ?? "")
        + (nextTimer.map(RunLoop.due) ?? "") + blocks
    }
  }

  /// The workers of one scheduling priority.
  public struct Pool: Sendable {
    /// "default", "utility" or "background".
    public let name: String
    /// The maximum number of workers of this pool and of those above it that
    /// run at once.
    public let width: Int
    /// How many workers exist, including those that wait for work; nil if the
    /// count was unavailable.
    public let workers: Int?
    /// How many workers run an item.
    public let running: Int
    /// How many queues, and items that belong to no queue, wait for a worker.
    public let pending: Int

    /// The pool's line in a report.
    var words: String {
      "the pool of \(name) priority: \(running == 0 ? "none" : "\(running)") of "
        + (workers.map { counted($0, "worker") } ?? "its workers")
        + " \(running < 2 ? "runs" : "run") (\(width) may), "
        + (pending == 0 ? "no queue waits" : counted(pending, "queue", one: "waits", many: "wait"))
        + " for a worker"
    }

    /// Whether the report has a line for this pool.
    var isInUse: Bool { workers != 0 || pending > 0 || running > 0 }
  }
}

extension SignalboxReport.Pool {
  package init(_ pool: SignalboxRuntime.Pool) {
    self.init(
      name: pool.tier.name, width: pool.width, workers: pool.workers, running: pool.running,
      pending: pool.pending)
  }
}
