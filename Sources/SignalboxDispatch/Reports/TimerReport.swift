// TimerReport — which timers are pending, and what they are for.

package import SignalboxRuntime

package enum TimerReport {
  /// How many of each clock a report shows.
  package static let limit = 100

  /// Those of each clock that can wait least, the first first, and how many there are.
  package static var pending: (timers: [PendingTimer], count: Int) {
    guard let driver = Engine.existingDriver else { return ([], 0) }
    let (timers, count) = driver.pendingTimers(limit: limit, label: label)
    return (timers.sorted { $0.dueIn < $1.dueIn }, count)
  }

  /// Under the driver's lock.
  private static func label(_ timer: TimerPointer) -> String? {
    switch timer.pointee.purpose {
    case .item: DelayedItem.queueLabel(timer)
    case .source: TimerSource.queueLabel(timer)
    case .sleep, .other: nil
    }
  }
}
