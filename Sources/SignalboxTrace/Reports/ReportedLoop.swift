// ReportedLoop — a run loop and a pool as a report shows them.

package import SignalboxDispatch
package import SignalboxRuntime

extension SignalboxReport {
  /// A thread's run loop.
  public struct RunLoop: Sendable {
    /// The number of its thread; nil if that has not used it yet.
    public let thread: Int?
    /// Whether it is the main thread's.
    public let isMain: Bool
    /// The mode in which it runs; nil if it does not.
    public let mode: String?
    /// How many runs there are, one within the other.
    public let depth: Int
    /// Whether it sleeps.
    public let isAsleep: Bool
    /// What it came to last, if it runs and is awake: "9 a timer fires". The number is that of
    /// the sequence in Apple's "Run Loops".
    public let step: String?
    /// How many timers there are in the mode.
    public let timers: Int
    /// Nanoseconds until the first of them must fire, negative if it is late; nil if none is
    /// set.
    public let nextTimer: Int64?
    /// How many blocks of other threads wait to be performed.
    public let blocks: Int
    /// How messages call the thread.
    private let title: String

    package init(_ loop: LoopGlance) {
      thread = loop.thread == 0 ? nil : Int(loop.thread)
      isMain = loop.isMain
      mode = loop.mode
      depth = loop.depth
      isAsleep = loop.isAsleep
      step = loop.step.isEmpty ? nil : loop.step
      timers = loop.timers
      nextTimer = loop.nextTimer
      blocks = loop.blocks
      title = loop.isMain ? "the main run loop" : "the run loop of \(ThreadName.of(loop.thread))"
    }

    /// The number and what is done there.
    private static func at(_ step: String) -> String {
      let parts = step.split(separator: " ", maxSplits: 1)
      return ", at step " + parts.joined(separator: ": ")
    }

    private static func due(_ time: Int64) -> String {
      time > 0
        ? ", its next timer is due in \(WaitLength(nanoseconds: UInt64(time)).words)"
        : ", its next timer is due now"
    }

    /// Its line in a report.
    package var words: String {
      let blocks = blocks > 0 ? "; " + counted(blocks, "block", one: "waits", many: "wait") : ""
      guard let mode else { return title + " does not run" + blocks }
      return title + " \(isAsleep ? "sleeps" : "is awake") in the mode \(ReportWords.quoted(mode))"
        + (depth > 1 ? ", in \(depth) nested runs" : "") + (step.map(RunLoop.at) ?? "")
        + (nextTimer.map(RunLoop.due) ?? "") + blocks
    }
  }

  /// The workers of one kernel priority.
  public struct Pool: Sendable {
    /// "default", "utility" or "background".
    public let name: String
    /// How many run at once, at most: of this pool and of those above it together.
    public let width: Int
    /// How many there are, those included that wait for work; nil if that could not be asked.
    public let workers: Int?
    /// How many of them run something.
    public let running: Int
    /// How many queues, and items of no queue, wait for a worker.
    public let pending: Int

    package init(_ pool: PoolGlance) {
      name = pool.tier.name
      width = pool.width
      workers = pool.workers
      running = pool.running
      pending = pool.pending
    }

    /// Its line in a report.
    package var words: String {
      "the pool of \(name) priority: \(running == 0 ? "none" : "\(running)") of "
        + (workers.map { counted($0, "worker") } ?? "its workers")
        + " \(running < 2 ? "runs" : "run") (\(width) may), "
        + (pending == 0 ? "no queue waits" : counted(pending, "queue", one: "waits", many: "wait"))
        + " for a worker"
    }

    /// Whether there is something to say of it.
    var isInUse: Bool { workers != 0 || pending > 0 || running > 0 }
  }
}
