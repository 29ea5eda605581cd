// TimerReport — the pending timers and their purposes.

import SignalboxDiagnostics
import SignalboxRuntime

enum TimerReport {
  /// How many timers a report shows from each of the driver's heaps.
  private static let limit = 100

  /// The timers of each heap that are due soonest, earliest first, and the number of all timers.
  static var pending: (timers: [SignalboxReport.Timer], count: Int) {
    guard let driver = Engine.existing?.driver else { return ([], 0) }
    let (timers, count) = driver.pendingTimers(limit: limit, SignalboxReport.Timer.init)
    return (timers.sorted { $0.dueIn < $1.dueIn }, count)
  }
}

extension SignalboxReport.Timer {
  /// The caller holds the driver's lock.
  fileprivate init(_ timer: TimerPointer, now: UInt64) {
    let (due, latest) = (timer.pointee.deadline, timer.pointee.latest)
    let (purpose, queue): (Purpose, String?) =
      switch timer.pointee.purpose {
      case .item: (.item, DelayedItem.queueLabel(timer))
      case .source: (.source, TimerSource.queueLabel(timer))
      case .sleep: (.sleep, nil)
      case .other: (.other, nil)
      }
    let clock: Clock =
      switch timer.pointee.clock {
      case .uptime: .uptime
      case .wall: .wall
      case .continuous: .continuous
      }
    self.init(
      dueIn: Int64(clamping: Int128(due) - Int128(now)), leeway: latest - min(due, latest),
      interval: purpose == .source ? SourceTimer.report(timer).interval : 0, clock: clock,
      purpose: purpose, queue: queue)
  }
}
