// Driver+Reports — the pending timers, and how late past timers were, for a report.

package import CSignalbox

extension Driver {
  /// Calls `look` for the most urgent timers of each heap, with the time on the timer's clock.
  /// Returns the results and the number of timers on all clocks.
  ///
  /// Holds the driver's lock for a few microseconds, during which nothing may be allocated or
  /// freed.
  ///
  /// - Parameter limit: the maximum number of timers to look at in each heap.
  package func pendingTimers<Timer>(
    limit: Int, _ look: (TimerPointer, _ now: UInt64) -> Timer
  ) -> (timers: [Timer], count: Int) {
    var timers: [Timer] = []
    timers.reserveCapacity(limit * TimerClocks.heapCount)
    var frontier: [Int] = []
    frontier.reserveCapacity(limit * 4)
    // One list for each heap: allocated here, and filled under the lock.
    var soonest: [[TimerPointer]] = (0..<TimerClocks.heapCount).map { _ in
      var one: [TimerPointer] = []
      one.reserveCapacity(limit)
      return one
    }
    let now = (kernel.now(.uptime), kernel.now(.wall), kernel.now(.continuous))
    lock.lock()
    let count = shared.pointee.timers.count
    var index = 0
    shared.pointee.timers.forEachHeap { heap in
      heap.list(limit, into: &soonest[index], frontier: &frontier)
      index += 1
    }
    for list in soonest {
      for timer in list {
        let clock = timer.pointee.clock
        timers.append(look(timer, clock == .uptime ? now.0 : clock == .wall ? now.1 : now.2))
      }
    }
    lock.unlock()
    return (timers, count)
  }

  /// How late the due timers were when the driver noticed them.
  package var lateness: csb_outside_timers {
    lock.lock()
    defer { lock.unlock() }
    return shared.pointee.timers.lateness
  }

  /// The address of the same structure, for readers in other processes.
  var latenessInPlace: UnsafePointer<csb_outside_timers> {
    // ThreadSanitizer takes the use of a field's address for a change of the structure.
    lock.lock()
    defer { lock.unlock() }
    return withUnsafePointer(to: &shared.pointee.timers.lateness) { $0 }
  }
}
