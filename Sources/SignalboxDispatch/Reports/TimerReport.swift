// TimerReport — the pending timers and their purposes.

package import SignalboxRuntime

package enum TimerReport {
  /// How many timers of each clock a report shows.
  package static let limit = 100

  /// The most urgent timers of each clock, earliest first, and the number of all timers.
  package static var pending: (timers: [PendingTimer], count: Int) {
    guard let driver = Engine.existingDriver else { return ([], 0) }
    let (timers, count) = driver.pendingTimers(limit: limit, label: label)
    return (timers.sorted { $0.dueIn < $1.dueIn }, count)
  }

  /// The caller holds the driver's lock.
  private static func label(_ timer: TimerPointer) -> String? {
    switch timer.pointee.purpose {
    case .item: DelayedItem.queueLabel(timer)
    case .source: TimerSource.queueLabel(timer)
    case .sleep, .other: nil
    }
  }
}
