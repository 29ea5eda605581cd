// SignalboxReport — what the process does at this moment: a value, in words, as JSON.

import SignalboxDispatch
import SignalboxRuntime

/// Says what the process does at this moment: what each thread waits for and who holds that,
/// what stands in the queues, which timers are pending, which operations have not ended, and
/// where the run loops are.
///
/// ```swift
/// SignalboxReport.print()
/// let deep = SignalboxReport.now.queues.filter { ($0.count ?? 0) > 1000 }
/// SignalboxReport.printOnSignal(SIGUSR2)
/// ```
///
/// The program goes on meanwhile: what stands in a report is of slightly different moments.
///
/// *Beyond Apple's API.*
public struct SignalboxReport: Sendable {
  /// Nanoseconds of the monotonic clock when it was made.
  public let uptime: UInt64
  /// The kernel's number of the process.
  public let process: Int
  /// Every thread of the process: first those that wait in a call of this library, in the order
  /// of their numbers, and then all others.
  public let threads: [Thread]
  /// What else is to be said, one sentence each: that the pool is stuck; that nobody drains
  /// the main queue, on which items wait; operations that have begun and have no thread.
  public let notes: [String]
  /// Every queue of the process that holds items or is held by a thread, by label: also a
  /// suspended one, the main queue, the global ones, workloops, and those that this library
  /// made for itself. One that has nothing to do is not listed, nor in a forked child what its
  /// parent left in queues.
  public let queues: [Queue]
  /// How many timers are pending: those of `asyncAfter`, of timer sources and of sleeping
  /// tasks. Those of run loops stand with their ``runLoops``.
  public let timerCount: Int
  /// The hundred of each clock that are due first.
  public let timers: [Timer]
  /// Every operation queue in which there are operations. One that was started by hand and is
  /// in no queue is not listed.
  public let operationQueues: [OperationQueue]
  /// The run loops of all threads that have one and have not ended.
  public let runLoops: [RunLoop]
  /// The workers, from those of the usual priority to the lowest; none if nothing was ever
  /// submitted.
  public let pools: [Pool]

  /// The report's first part, as `BlockedReport` words it.
  private let blocked: String

  /// A report of this moment.
  ///
  /// Any thread. It takes each waiting thread's record lock for a moment, those of the lists of
  /// queues, timers and loops for some microseconds, and reads some small files of `/proc` for
  /// each thread. It holds up no queue: the items of one that is in use are counted from
  /// outside, for a few hundred nanoseconds each, ten thousand at most.
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
    pools = Engine.poolGlances.map(Pool.init)
    process = Int(ProcessNumber.current)
  }

  /// The report in words: one line for each thread that waits in a call of this library, one for
  /// each other thread of the process, and then one for each queue, timer, operation and run
  /// loop that there is something to say of.
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
  /// The kernel keeps fifteen bytes of a name.
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

  // MARK: At once

  /// The words of a report of this moment: see ``text-swift.property``.
  public static var text: String { now.text }

  /// A report of this moment as JSON: see ``json-swift.property``.
  public static var json: String { now.json }

  /// Prints ``text-swift.type.property`` to standard output.
  public static func print() { Swift.print(text) }
}
