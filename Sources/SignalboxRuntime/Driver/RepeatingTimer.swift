// RepeatingTimer — a timer that can be rescheduled, and that counts the times it missed.
//
// States      set or not; pending in the driver or not. A timer that came due is not pending
//             until it is armed again: a timer whose handler cannot run costs nothing.
// Touching    everything: under the driver's lock. The call when it comes due is only a hint
//             to look: `takeFires` decides by the schedule that is in force then.

import CSignalbox

package struct RepeatingTimer: ~Copyable {
  package typealias Pointer = UnsafeMutablePointer<RepeatingTimer>

  fileprivate var node: TimerNode
  fileprivate var schedule = Schedule.never
  /// Whether the timer must be pending whenever it is set.
  fileprivate var isActive = false
  // SAFETY: the owner contains the timer, or frees it.
  private var owner: Unmanaged<AnyObject>?

  /// When a timer is due, how often it repeats, and how late it may fire.
  package struct Schedule: Sendable {
    package var deadline: Deadline
    /// In nanoseconds; 0 for a timer that fires once.
    package var interval: UInt64
    package var leeway: UInt64

    package init(deadline: Deadline, interval: UInt64, leeway: UInt64) {
      self.deadline = deadline
      self.interval = interval
      self.leeway = leeway
    }

    package static var never: Schedule { Schedule(deadline: .never, interval: 0, leeway: 0) }

    /// Counts how often the timer was due by `now`, and advances the deadline past `now`.
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
      // From the second time on, so that no two firings coincide.
      leeway = min(leeway, interval / 2)
      return UInt(missed + 1)
    }
  }

  /// - Parameter function: called when the timer may be due, with the address of the
  ///   timer. It gets a reference to the owner from `takeOwner`.
  package init(_ function: @escaping TimerNode.Function) {
    node = TimerNode(.never, function, isRepeating: true, for: .source)
  }

  /// Sets the owner. Call it once, before the timer is first scheduled.
  package mutating func belongs(to owner: AnyObject) { self.owner = .passUnretained(owner) }

  /// Retains the owner of a timer that is taken out to be called. The owner still exists,
  /// because it cancels the timer before it ends. The caller holds the driver's lock.
  static func keepOwner(_ timer: TimerPointer) {
    // SAFETY: `isRepeating` says so, and the node is the first field. Balanced by `takeOwner`.
    let timer = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: RepeatingTimer.self)
    _ = timer.pointee.owner?.retain()
  }

  /// The owner of a pending timer, and its interval in nanoseconds, 0 for a timer that
  /// fires once. The owner exists until it has cancelled the timer. The caller holds the
  /// driver's lock.
  package static func report(
    _ timer: TimerPointer
  ) -> (owner: Unmanaged<AnyObject>?, interval: UInt64) {
    // SAFETY: `isRepeating` says so, and the node is the first field.
    let timer = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: RepeatingTimer.self)
    return (timer.pointee.owner, timer.pointee.schedule.interval)
  }

  /// The owner of a timer whose function was called. The caller owns one reference.
  package static func takeOwner(_ raw: UnsafeMutableRawPointer) -> Unmanaged<AnyObject> {
    // SAFETY: the node is the first field of the timer that was called.
    guard let owner = raw.assumingMemoryBound(to: RepeatingTimer.self).pointee.owner else {
      internalBug("a timer without an owner was called")
    }
    return owner
  }
}

extension Driver {
  // The function of a timer needs a reference to the owner. The driver retains the owner under the
  // driver's lock when it removes the timer to call it. So a timer that is cancelled before that
  // costs no reference.

  /// Changes the schedule of a timer. If the timer is active, it becomes pending.
  package func schedule(_ timer: RepeatingTimer.Pointer, _ schedule: RepeatingTimer.Schedule) {
    replace(timer) { $0.schedule = schedule }
  }

  /// Makes a timer active.
  package func activate(_ timer: RepeatingTimer.Pointer) {
    replace(timer) { $0.isActive = true }
  }

  @inline(__always)
  private func replace(
    _ timer: RepeatingTimer.Pointer, _ change: (inout RepeatingTimer) -> Void
  ) {
    let node = RepeatingTimer.node(timer)
    lock.lock()
    let wasPending = shared.pointee.timers.remove(node)
    change(&timer.pointee)
    let isPending = timer.pointee.isActive && !timer.pointee.schedule.deadline.isNever
    let calls = isPending && insert(timer)
    let due = timer.pointee.schedule.deadline
    lock.unlock()
    if isPending {
      hasInserted(node, due: due, calls)
    } else if wasPending {
      Probe.timerCancelled(node, isGone: false)
    }
  }

  /// How often the timer was due since the last call; 0 if it was not.
  package func takeFires(_ timer: RepeatingTimer.Pointer) -> UInt {
    lock.lock()
    defer { lock.unlock() }
    // The timer was rescheduled in the meantime, and will come due again.
    if timer.pointee.node.place >= 0 { return 0 }
    return timer.pointee.schedule.advance(to: kernel.now(timer.pointee.schedule.deadline.clock))
  }

  package enum Armed { case pending, due, never }

  /// Makes the timer pending again if it is active and set, and not pending yet.
  ///
  /// - Returns: `due` if its time has already passed.
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
    hasInserted(node, due: deadline, calls)
    return .pending
  }

  /// Cancels the timer: it is no longer active. Its owner may end, unless the driver has
  /// already taken the timer out and retained the owner.
  package func cancel(_ timer: RepeatingTimer.Pointer) {
    let node = RepeatingTimer.node(timer)
    lock.lock()
    timer.pointee.isActive = false
    let wasPending = shared.pointee.timers.remove(node)
    lock.unlock()
    if wasPending { Probe.timerCancelled(node, isGone: true) }
  }

  /// The caller holds the lock.
  private func insert(_ timer: RepeatingTimer.Pointer) -> Bool {
    let schedule = timer.pointee.schedule
    timer.pointee.node.set(schedule.deadline, leeway: schedule.leeway)
    return insert(RepeatingTimer.node(timer))
  }
}

extension RepeatingTimer {
  fileprivate static func node(_ timer: Pointer) -> TimerPointer {
    // SAFETY: the node is the first field.
    UnsafeMutableRawPointer(timer).assumingMemoryBound(to: TimerNode.self)
  }
}
