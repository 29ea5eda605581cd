// SignalboxReport — a snapshot of what the process does, as a value, text or
// JSON.

import SignalboxDispatch
import SignalboxRuntime

/// Describes what the process does at this moment: what each thread waits for
/// and which thread holds it, which items the queues hold, which timers are
/// pending, which operations are unfinished, and where the run loops are.
///
/// ```swift
/// SignalboxReport.print()
/// let deep = SignalboxReport.now.queues.filter { ($0.count ?? 0) > 1000 }
/// SignalboxReport.printOnSignal(SIGUSR2)
/// ```
///
/// The program keeps running while the report is made, so its parts are from
/// slightly different moments.
///
/// *Beyond Apple's API.*
public struct SignalboxReport: Sendable {
  /// The time of the report on the monotonic clock, in nanoseconds.
  public let uptime: UInt64
  /// The process ID.
  public let process: Int
  /// Every thread of the process: first the threads that wait in a call of this
  /// library, in the order of their numbers, then all others.
  public let threads: [Thread]
  /// Further findings, one sentence each: that the pool is stuck; that items
  /// wait on the main queue and no thread drains it; that operations have begun
  /// and have no thread.
  public let notes: [String]
  /// Every queue that holds items or is held by a thread, by label. The list
  /// includes suspended queues, the main queue, global queues, workloops and
  /// the queues that this library creates for itself. It excludes idle queues
  /// and, in a forked child, items that the parent left in queues.
  public let queues: [Queue]
  /// How many timers are pending: those of `asyncAfter`, of timer sources and
  /// of sleeping tasks. ``runLoops`` counts the timers of run loops.
  public let timerCount: Int
  /// The hundred timers of each clock that are due first.
  public let timers: [Timer]
  /// Every operation queue that contains operations. An operation that was
  /// started by hand, outside a queue, is not listed.
  public let operationQueues: [OperationQueue]
  /// The run loops of all threads that have one and have not ended.
  public let runLoops: [RunLoop]
  /// The worker pools, from the default priority to the lowest; empty if no
  /// item was ever submitted.
  public let pools: [Pool]

  /// The first part of the report, as `BlockedReport` words it.
  private let blocked: String

  /// A report of the current moment.
  ///
  /// Call it from any thread. It takes each waiting thread's record lock for a
  /// moment and the locks of the lists of queues, timers and loops for a few microseconds, and
  /// reads a few small files of `/proc` for each thread. It does not block queues: it counts the
  /// items of a queue in use from outside, which takes a few hundred nanoseconds each, up to ten
  /// thousand items.
  public static var now: SignalboxReport { SignalboxReport() }

  private init() {
    uptime = Clock.uptime.now
    let parts = BlockedParts()
    blocked = parts.text
    notes = (parts.stuck.map { [$0] } ?? []) + parts.notes
    let waiting = Set(parts.waits.map(\.thread))
    let survey = ThreadSurvey.threads
    threads =
      parts.waits.map(Thread.init)
      + survey.filter { $0.number == 0 || !waiting.contains($0.number) }.map(Thread.init)
    queues = QueueReport.all(parts.waits).map(Queue.init)
    let pending = TimerReport.pending
    timerCount = pending.count
    timers = pending.timers.map(Timer.init)
    operationQueues = ReportSources.shared.operations.map(OperationQueue.init)
    runLoops = ReportSources.shared.loops.map(RunLoop.init)
    pools = Engine.poolSnapshots.map(Pool.init)
    process = Int(ProcessNumber.current)
  }

  /// The report as text: one line for each thread that waits in a call of this
  /// library, one for each other thread of the process, and then one for each
  /// queue, timer, operation and run loop with something to report.
  ///
  /// ```
  /// thread 7 (kernel 4711, "painter") waits for the NSLock "canvas" (for 21 ms), held by
  /// thread 3 (kernel 4707, "loader")
  /// thread 3 (kernel 4707, "loader") runs
  /// thread 4 (kernel 4708, "sb-default-1") is ready, and waits for a processor
  /// the queue "com.example.db" (serial) holds 3 items, the oldest for 21 ms or longer; thread 4
  /// (kernel 4708, "sb-default-1") serves it
  /// ```
  ///
  /// The kernel keeps only the first fifteen bytes of a thread's name.
  public var text: String {
    ([blocked] + threads.filter { $0.wait == nil }.map(\.words) + queues.map(\.words)
      + timerLines + operationQueues.flatMap(\.lines) + runLoops.map(\.words)
      + pools.filter(\.isInUse).map(\.words)).joined(separator: "\n")
  }

  private var timerLines: [String] {
    let more = timerCount - timers.count
    return timers.map(\.words)
      + (more > 0 ? [counted(more, "more timer", one: "is pending", many: "are pending")] : [])
  }

  // MARK: Shortcuts

  /// The current report as text: see ``text-swift.property``.
  public static var text: String { now.text }

  /// The current report as JSON: see ``json-swift.property``.
  public static var json: String { now.json }

  /// Prints ``text-swift.type.property`` to standard output.
  public static func print() { Swift.print(text) }
}
