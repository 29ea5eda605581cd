// ReportSources — what higher modules add to reports: lines, operations, run loops.
//
// Touching    everything but the lock: under the lock. Nothing is called or freed while it is
//             held.

import SignalboxRuntime

extension BlockedReport {
  /// Appends the lines that `lines` returns to each report of waiting threads.
  package static func addLines(_ lines: @escaping @Sendable () -> [String]) {
    ReportSources.shared.add { $0.lines.append(lines) }
  }
}

package struct OperationSnapshot: Sendable {
  package enum State: String, Sendable {
    /// It waits for other operations to finish.
    case waiting
    /// It waits for its turn.
    case ready
    /// A worker runs it.
    case running
    /// It has begun, and no thread is in its `start()`.
    case inFlight
  }
  /// "the operation "thumbnails" (ThumbnailOperation)".
  package let title: String
  package let queue: String
  package let state: State
  package let isCancelled: Bool
  /// The titles of some of the operations that it waits for.
  package let waitsFor: [String]
  /// How many operations it waits for in all.
  package let unfinished: Int

  package init(
    title: String, queue: String, state: State, isCancelled: Bool, waitsFor: [String],
    unfinished: Int
  ) {
    self.title = title
    self.queue = queue
    self.state = state
    self.isCancelled = isCancelled
    self.waitsFor = waitsFor
    self.unfinished = unfinished
  }
}

/// The operations of one queue.
package struct OperationQueueSnapshot: Sendable {
  package let name: String
  package let count: Int
  package let running: Int
  package let isSuspended: Bool
  /// The first operations of the queue.
  package let operations: [OperationSnapshot]

  package init(
    name: String, count: Int, running: Int, isSuspended: Bool, operations: [OperationSnapshot]
  ) {
    self.name = name
    self.count = count
    self.running = running
    self.isSuspended = isSuspended
    self.operations = operations
  }
}

/// A run loop as a report shows it.
package struct LoopSnapshot: Sendable {
  /// The number of its thread; 0 if it has none yet.
  package let thread: UInt32
  package let isMain: Bool
  /// The mode of its innermost run; nil if it does not run.
  package let mode: String?
  /// How many nested runs there are.
  package let depth: Int
  package let isAsleep: Bool
  /// What it did last, in words; empty if it sleeps or does not run.
  package let step: String
  /// How many timers are in that mode.
  package let timers: Int
  /// Nanoseconds until the first timer must fire; nil if none is set.
  package let nextTimer: Int64?
  /// How many blocks wait to be performed.
  package let blocks: Int

  package init(
    thread: UInt32, isMain: Bool, mode: String?, depth: Int, isAsleep: Bool, step: String,
    timers: Int,
    nextTimer: Int64?, blocks: Int
  ) {
    self.thread = thread
    self.isMain = isMain
    self.mode = mode
    self.depth = depth
    self.isAsleep = isAsleep
    self.step = step
    self.timers = timers
    self.nextTimer = nextTimer
    self.blocks = blocks
  }
}

// SAFETY: see Touching.
package final class ReportSources: @unchecked Sendable {
  package static let shared = ReportSources()

  package struct All {
    package var lines: [@Sendable () -> [String]] = []
    package var operations: (@Sendable () -> [OperationQueueSnapshot])?
    package var loops: (@Sendable () -> [LoopSnapshot])?
  }

  private let lock = EngineLock()
  private var all = All()

  /// The sources of the signals that trigger a report, by signal number.
  private var signals: [(any DispatchSourceSignal)?]

  private init() {
    all.lines.reserveCapacity(8)
    signals = Array(repeating: nil, count: Int(SignalTable.lastSignal) + 1)
  }

  /// Stores the source for a signal.
  ///
  /// - Returns: the source that was stored before.
  package func keep(
    _ source: (any DispatchSourceSignal)?, for signal: Int32
  ) -> (any DispatchSourceSignal)? {
    _ = ForkedQueues.arranged
    return lock.withLock {
      guard signals.indices.contains(Int(signal)) else { return nil }
      let old = signals[Int(signal)]
      signals[Int(signal)] = source
      return old
    }
  }

  /// Any thread.
  package func add(_ change: (inout All) -> Void) {
    _ = ForkedQueues.arranged
    // This replaces nothing, and `lines` has room, so nothing is freed.
    lock.withLock { change(&all) }
  }

  // The sources are called with no lock held.

  var lines: [String] { lock.withLock { all.lines }.flatMap { $0() } }

  package var operations: [OperationQueueSnapshot] { lock.withLock { all.operations }?() ?? [] }

  package var loops: [LoopSnapshot] { lock.withLock { all.loops }?() ?? [] }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }
}
