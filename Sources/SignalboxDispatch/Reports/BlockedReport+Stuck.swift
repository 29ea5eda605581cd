// BlockedReport+Stuck — a pool that cannot go on by itself, and who is told.
//
// Stuck means: workers wait, none of them runs, none of those waits has a
// deadline, no timer is pending, and items stand behind them. A thread outside the
// pool may still signal, leave or resume: so it is told, and never a trap.
//
// Touching    `handler`, `told`: under `lock`.

import SignalboxRuntime

extension BlockedReport {
  /// Has `handler` called when the pool is stuck: all workers that run something
  /// wait, none of them with a time-out, no timer is pending, and items stand in
  /// the queues behind them. `nil` takes that back.
  ///
  /// ```swift
  /// BlockedReport.onStuck { text in log.error("\(text)") }
  /// ```
  ///
  /// The handler gets the report and runs on a worker of its own, on a global
  /// queue. It is called once for each state of that kind, some hundredths of a
  /// second after it has come about; later, if it came about by what was submitted
  /// later. A thread outside the pool may still set the pool going: a deadlock
  /// that nobody can end traps instead, without this.
  ///
  /// Any thread. From then on each wait of a worker that lasts looks around now
  /// and then.
  ///
  /// *Beyond Apple's API.*
  public static func onStuck(_ handler: (@Sendable (String) -> Void)?) {
    StuckReport.shared.set(handler)
    StuckWatch.begin { StuckReport.shared.look() }
  }
}

final class StuckReport: Sendable {
  static let shared = StuckReport()

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var handler: (@Sendable (String) -> Void)?
  /// The waits of the state that was told last.
  private nonisolated(unsafe) var told: [Wait] = []

  private struct Wait: Equatable {
    let thread: UInt32
    let epoch: UInt64
  }

  func set(_ new: (@Sendable (String) -> Void)?) {
    let old = lock.withLock {
      let old = handler
      handler = new
      return old
    }
    // Freed here, after the lock is left.
    _ = old
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// A worker has waited for long: is that all the pool does?
  func look() {
    guard let (waits, line) = StuckReport.state() else { return }
    let (handler, old) = lock.withLock {
      let old = told
      if old != waits { told = waits }
      return (self.handler, old)
    }
    guard let handler, old != waits else { return }
    let text = line + "\n" + BlockedReport.text(withStuck: false)
    ReportDelivery.deliver(text, to: handler)
  }

  /// The line that stands first in a report while the pool is stuck.
  static var line: String? { state()?.line }

  private static func state() -> (waits: [Wait], line: String)? {
    var waits: [Wait] = []
    var items = 0
    for record in WaitRegistry.shared.records where record.isWorker {
      guard let wait = record.whileWaiting({ stack, epoch in (epoch, stack.countHeldBack) }) else {
        continue
      }
      // One that has a deadline, or was woken just now, goes on by itself.
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
