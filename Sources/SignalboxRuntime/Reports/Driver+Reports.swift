// Driver+Reports — the pending timers, for a report.

/// A timer at the moment of a look.
package struct PendingTimer: Sendable {
  package let clock: Clock
  /// Nanoseconds until it is due; negative if it is late.
  package let dueIn: Int64
  /// How many nanoseconds later it may fire.
  package let leeway: UInt64
  /// The nanoseconds between two firings; 0 for a timer that fires once.
  package let interval: UInt64
  package let purpose: TimerNode.Purpose
  /// The label of the queue on which it runs, if it has one.
  package let queue: String?

  package init(
    clock: Clock, dueIn: Int64, leeway: UInt64, interval: UInt64, purpose: TimerNode.Purpose,
    queue: String?
  ) {
    self.clock = clock
    self.dueIn = dueIn
    self.leeway = leeway
    self.interval = interval
    self.purpose = purpose
    self.queue = queue
  }
}

extension Driver {
  /// The most urgent timers of each clock, and the number of timers on all clocks.
  ///
  /// Holds the driver's lock for a few microseconds, in which nothing is allocated or
  /// freed.
  ///
  /// - Parameters:
  ///   - limit: the most timers to return for each clock.
  ///   - label: returns the label of a pending timer's queue; called under the lock.
  package func pendingTimers(
    limit: Int, label: (TimerPointer) -> String?
  ) -> (timers: [PendingTimer], count: Int) {
    var timers: [PendingTimer] = []
    timers.reserveCapacity(limit * 3)
    var frontier: [Int] = []
    frontier.reserveCapacity(limit * 4)
    // One list for each clock: allocated here, and filled under the lock.
    var soonest: [[TimerPointer]] = (0..<3).map { _ in
      var one: [TimerPointer] = []
      one.reserveCapacity(limit)
      return one
    }
    let now = (kernel.now(.uptime), kernel.now(.wall), kernel.now(.continuous))
    lock.lock()
    let count = shared.pointee.timers.count
    var place = 0
    shared.pointee.timers.forEachHeap { heap in
      heap.list(limit, into: &soonest[place], frontier: &frontier)
      place += 1
    }
    for list in soonest {
      for timer in list {
        let clock = timer.pointee.clock
        let moment = clock == .uptime ? now.0 : clock == .wall ? now.1 : now.2
        timers.append(Driver.look(at: timer, moment, label(timer)))
      }
    }
    lock.unlock()
    return (timers, count)
  }

  /// The caller holds the lock.
  private static func look(at timer: TimerPointer, _ now: UInt64, _ label: String?) -> PendingTimer
  {
    let due = timer.pointee.deadline
    let isRepeating = timer.pointee.purpose == .source
    return PendingTimer(
      clock: timer.pointee.clock, dueIn: Int64(clamping: Int128(due) - Int128(now)),
      leeway: timer.pointee.latest - min(due, timer.pointee.latest),
      interval: isRepeating ? RepeatingTimer.report(timer).interval : 0,
      purpose: timer.pointee.purpose, queue: label)
  }
}
