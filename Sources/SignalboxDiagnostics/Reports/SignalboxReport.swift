// SignalboxReport — a snapshot of what the process does.
//
// The values and their words are here. `SignalboxReport+Gathering` in SignalboxDispatch fills
// them in, and so do the modules above it, through `ReportSources`.

import CSignalbox
package import SignalboxRuntime

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
  public package(set) var threads: [Thread]
  /// Further findings, one sentence each: that the pool is stuck; that items
  /// wait on the main queue and no thread drains it; that operations have begun
  /// and have no thread.
  public var notes: [String] { stuck + findings }
  /// Every queue that holds items or is held by a thread, by label. The list
  /// includes suspended queues, the main queue, global queues, workloops and
  /// the queues that this library creates for itself. It excludes idle queues
  /// and, in a forked child, items that the parent left in queues.
  public package(set) var queues: [Queue] = []
  /// How many timers are pending: those of `asyncAfter`, of timer sources and
  /// of sleeping tasks. ``runLoops`` counts the timers of run loops.
  public package(set) var timerCount = 0
  /// The hundred timers of each clock that are due first.
  public package(set) var timers: [Timer] = []
  /// Every operation queue that contains operations. An operation that was
  /// started by hand, outside a queue, is not listed.
  public package(set) var operationQueues: [OperationQueue] = []
  /// The run loops of all threads that have one and have not ended.
  public package(set) var runLoops: [RunLoop] = []
  /// The worker pools, from the default priority to the lowest; empty if no
  /// item was ever submitted.
  public package(set) var pools: [Pool] = []

  /// A line if the pool is stuck.
  private let stuck: [String]
  private let findings: [String]

  /// A report of the waits alone.
  package init(_ waits: [WaitRecord.Snapshot], stuck: String?, notes: [String]) {
    uptime = Clock.uptime.now
    process = Int(csb_process_id())
    threads = waits.map { Thread($0.thread, $0.kernelID, .waiting, Wait($0)) }
    self.stuck = stuck.map { [$0] } ?? []
    findings = notes
  }

  /// The lines about waits, or one that says that there are none.
  package var waits: String { waitLines(nil).joined(separator: "\n") }

  /// The same; with symbols, the program's functions are below the line of each thread.
  private func waitLines(_ symbols: Symbolizer?) -> [String] {
    let lines = threads.filter { $0.wait != nil }.flatMap { thread in
      [thread.words] + (symbols.flatMap { thread.wait?.lines(ofFunctionsIn: $0) } ?? [])
    }
    let all = stuck + lines + findings
    return all.isEmpty ? ["no thread waits"] : all
  }

  /// The names of all functions on the stacks of waiting threads. Each file is read once.
  package var functionNames: Symbolizer {
    Symbolizer(threads.flatMap { $0.wait?.stack.addresses ?? [] })
  }

  /// All lines of the report.
  package var lines: [String] {
    waitLines(functionNames) + threads.filter { $0.wait == nil }.map(\.words) + queues.map(\.words)
      + timerLines + operationQueues.flatMap(\.lines) + runLoops.map(\.words)
      + pools.filter(\.isInUse).map(\.words)
  }

  private var timerLines: [String] {
    let more = timerCount - timers.count
    return timers.map(\.words)
      + (more > 0 ? [counted(more, "more timer", one: "is pending", many: "are pending")] : [])
  }

  /// Where a report that a signal triggers goes.
  public enum Destination: Sendable, Equatable {
    /// Standard error, as text.
    case standardError
    /// The end of the file at this path, which is created if it doesn't exist.
    /// A path that ends in `.json` receives JSON, one line for each report; any
    /// other path receives text.
    case file(String)
  }
}
