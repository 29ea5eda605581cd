// ReportSources — what higher modules add to reports: lines, operations, run loops.
//
// Touching    everything but the lock: under the lock. Nothing is called or freed while it is
//             held.

package import SignalboxDiagnostics
import SignalboxRuntime

// SAFETY: see Touching.
package final class ReportSources: @unchecked Sendable {
  package static let shared = ReportSources()

  package struct All {
    package var lines: [@Sendable () -> [String]] = []
    package var operations: (@Sendable () -> [SignalboxReport.OperationQueue])?
    package var loops: (@Sendable () -> [SignalboxReport.RunLoop])?
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

  package var operations: [SignalboxReport.OperationQueue] {
    lock.withLock { all.operations }?() ?? []
  }

  package var loops: [SignalboxReport.RunLoop] { lock.withLock { all.loops }?() ?? [] }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }
}
