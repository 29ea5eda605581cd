// RepeatingTimer — a timer whose time can be changed, and that counts what it missed.
//
// States      set or not; pending in the driver or not. One that came due is not pending
//             until it is armed again: a timer whose handler cannot run costs nothing.
// Touching    everything: under the driver's lock. That it came due is only a hint to
//             look: `takeFires` decides by the schedule that is then in force.

import CSignalbox

package struct RepeatingTimer: ~Copyable {
  package typealias Pointer = UnsafeMutablePointer<RepeatingTimer>

  fileprivate var node: TimerNode
  fileprivate var schedule = Schedule.never
  /// Whether it is to be pending whenever it is set.
  fileprivate var isActive = false
  fileprivate let retain: TimerNode.Function

  /// When a timer is due, how often after that, and how much later it may be.
  package struct Schedule: Sendable {
    package var deadline: Deadline
    /// Nanoseconds; 0 for once.
    package var interval: UInt64
    package var leeway: UInt64

    package init(deadline: Deadline, interval: UInt64, leeway: UInt64) {
      self.deadline = deadline
      self.interval = interval
      self.leeway = leeway
    }

    package static var never: Schedule { Schedule(deadline: .never, interval: 0, leeway: 0) }

    /// Counts how often it was due by `now`, and moves on past that.
    mutating func advance(to now: UInt64) -> UInt {
      let due = deadline.nanoseconds
      guard !deadline.isNever, due <= now else { return 0 }
      if interval == 0 {
        deadline = .never
        return 1
      }
      let missed = (now - due) / interval
      let (next, overflow) = (missed + 1).multipliedReportingOverflow(by: interval)
      deadline = overflow ? .never : Deadline(deadline.clock, due.saturatingAdd(next))
      // From the second on, so that no two of them fall together.
      leeway = min(leeway, interval / 2)
      return UInt(missed + 1)
    }
  }

  /// - Parameters:
  ///   - function: called when it may be due, with the address of the timer.
  ///   - retain: called with the same when it becomes pending, under the driver's lock: to
  ///     count a reference up, and nothing else.
  package init(_ function: @escaping TimerNode.Function, retain: @escaping TimerNode.Function) {
    node = TimerNode(.never, function)
    self.retain = retain
  }
}

extension Driver {
  // A pending timer needs a reference, which goes to whoever is called when it is due. It
  // is counted up when the timer becomes pending, and handed back where it is taken out.

  /// Changes the schedule of a timer, which becomes pending by it if it is active.
  ///
  /// - Returns: whether a reference is handed back.
  package func schedule(
    _ timer: RepeatingTimer.Pointer, _ schedule: RepeatingTimer.Schedule
  ) -> Bool {
    replace(timer) { $0.schedule = schedule }
  }

  /// Makes a timer active.
  ///
  /// - Returns: whether a reference is handed back.
  package func activate(_ timer: RepeatingTimer.Pointer) -> Bool {
    replace(timer) { $0.isActive = true }
  }

  @inline(__always)
  private func replace(
    _ timer: RepeatingTimer.Pointer, _ change: (inout RepeatingTimer) -> Void
  ) -> Bool {
    let node = RepeatingTimer.node(timer)
    lock.lock()
    let wasPending = shared.pointee.timers.remove(node)
    change(&timer.pointee)
    let isPending = timer.pointee.isActive && !timer.pointee.schedule.deadline.isNever
    let calls = isPending && insert(timer)
    lock.unlock()
    if isPending {
      hasInserted(node, calls)
    } else if wasPending {
      Probe.timer(.timerCancelled, node)
    }
    return wasPending
  }

  /// How often the timer was due since it last told: 0 if it was not.
  package func takeFires(_ timer: RepeatingTimer.Pointer) -> UInt {
    lock.lock()
    defer { lock.unlock() }
    // Set anew meanwhile, it will come due once more.
    if timer.pointee.node.place >= 0 { return 0 }
    return timer.pointee.schedule.advance(to: kernel.now(timer.pointee.schedule.deadline.clock))
  }

  package enum Armed { case pending, due, never }

  /// Makes the timer pending again, if it is set and is not.
  ///
  /// - Returns: `due` if its time has passed already.
  package func armAgain(_ timer: RepeatingTimer.Pointer) -> Armed {
    let node = RepeatingTimer.node(timer)
    lock.lock()
    let deadline = timer.pointee.schedule.deadline
    guard timer.pointee.isActive, timer.pointee.node.place < 0, !deadline.isNever else {
      lock.unlock()
      return .never
    }
    if deadline.nanoseconds <= kernel.now(deadline.clock) {
      lock.unlock()
      return .due
    }
    let calls = insert(timer)
    lock.unlock()
    hasInserted(node, calls)
    return .pending
  }

  /// Takes it back: it is not active any more.
  ///
  /// - Returns: whether it was pending: then its reference is handed back.
  package func cancel(_ timer: RepeatingTimer.Pointer) -> Bool {
    let node = RepeatingTimer.node(timer)
    lock.lock()
    timer.pointee.isActive = false
    let wasPending = shared.pointee.timers.remove(node)
    lock.unlock()
    if wasPending { Probe.timer(.timerCancelled, node) }
    return wasPending
  }

  /// Under the lock.
  private func insert(_ timer: RepeatingTimer.Pointer) -> Bool {
    let schedule = timer.pointee.schedule
    timer.pointee.node.set(schedule.deadline, leeway: schedule.leeway)
    timer.pointee.retain(UnsafeMutableRawPointer(timer))
    return insert(RepeatingTimer.node(timer))
  }
}

extension RepeatingTimer {
  fileprivate static func node(_ timer: Pointer) -> TimerPointer {
    // SAFETY: the node is the first field.
    UnsafeMutableRawPointer(timer).assumingMemoryBound(to: TimerNode.self)
  }
}
