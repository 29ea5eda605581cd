// BlockedReport+Stuck — finds a pool that cannot continue by itself, and calls the handler.
//
// The pool is stuck if workers wait, no worker runs, no wait has a deadline, no timer is pending,
// and items wait behind the workers. A thread outside the pool may still signal, leave or resume.
// That is why a stuck pool is reported and never traps.
//
// Touching    `handler`, `told`: under `lock`.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime
import Synchronization

extension BlockedReport {
  /// Calls `handler` when the pool is stuck: all workers that run something wait without a
  /// timeout, no timer is pending, and items wait in the queues behind them. `nil` removes the
  /// handler.
  ///
  /// ```swift
  /// BlockedReport.onStuck { text in log.error("\(text)") }
  /// ```
  ///
  /// The handler receives the report and runs on a worker of its own, on a global queue. It is
  /// called once for each such state, a few hundredths of a second after the state began, or later
  /// if only a later submission completed it. A thread outside the pool may still let the pool
  /// continue. A deadlock that no thread can end traps instead.
  ///
  /// Any thread may call it. From then on, each worker that waits for a long time checks the pool
  /// from time to time.
  ///
  /// *Beyond Apple's API.*
  public static func onStuck(_ handler: (@Sendable (String) -> Void)?) {
    guard let handler else { return onStuckPool(nil) }
    onStuckPool { text, _ in handler(text) }
  }

  /// - Parameter handler: receives the report and the numbers of the workers that wait. It runs on
  ///   a worker of its own.
  static func onStuckPool(_ handler: StuckReport.Handler?) {
    StuckReport.shared.set(handler)
    // order: relaxed; the handler is set under a lock, which `look` takes.
    LongWait.watchesPool.store(true, ordering: .relaxed)
  }
}

final class StuckReport: Sendable {
  static let shared = StuckReport()

  typealias Handler = @Sendable (String, _ threads: [UInt32]) -> Void

  private let lock = EngineLock()
  // SAFETY: accessed only under `lock`.
  private nonisolated(unsafe) var handler: Handler?
  /// The waits of the last reported state.
  private nonisolated(unsafe) var told: [Wait] = []

  private struct Wait: Equatable {
    let thread: UInt32
    let epoch: UInt64
  }

  func set(_ new: Handler?) {
    let old = lock.withLock {
      let old = handler
      handler = new
      return old
    }
    // The old handler is freed here, after the lock was released.
    _ = old
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Reports a stuck pool. A worker that has waited for a long time calls it.
  func look() {
    guard let (waits, line) = StuckReport.state() else { return }
    let (handler, old) = lock.withLock {
      let old = told
      if old != waits { told = waits }
      return (self.handler, old)
    }
    guard let handler, old != waits else { return }
    let text = line + "\n" + BlockedReport.text(withStuck: false)
    let threads = waits.map(\.thread)
    ReportDelivery.deliver(text) { handler($0, threads) }
  }

  /// The first line of a report while the pool is stuck.
  static var line: String? { state()?.line }

  private static func state() -> (waits: [Wait], line: String)? {
    var waits: [Wait] = []
    var items = 0
    for record in WaitRegistry.shared.records where record.isWorker {
      guard let wait = record.whileWaiting({ stack, epoch in (epoch, stack.countHeldBack) }) else {
        continue
      }
      // A worker that has a deadline or was just woken continues by itself.
      guard record.isBlockedWithoutEnd else { return nil }
      waits.append(Wait(thread: record.thread, epoch: wait.0))
      items += wait.1
    }
    guard items > 0, Engine.current.isQuiet else { return nil }
    return (
      waits,
      "the pool is stuck: \(counted(waits.count, "worker", one: "waits", many: "wait")) and none runs, no timer is pending, and "
        + "\(counted(items, "item", one: "waits", many: "wait")) behind \(waits.count == 1 ? "it" : "them")"
    )
  }
}

/// The engine calls this on a worker that has waited for a long time, once `onStuck` was called.
@_cdecl("csb_diagnose_pool")
func diagnosePool() { StuckReport.shared.look() }
