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
  // SAFETY: the timer is a part of it, or freed by it.
  private var owner: Unmanaged<AnyObject>?

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

  /// - Parameter function: called when it may be due, with the address of the timer and a
  ///   reference to its owner, which `takeOwner` gives.
  package init(_ function: @escaping TimerNode.Function) {
    node = TimerNode(.never, function, isRepeating: true, for: .source)
  }

  /// Whose timer it is. Set once, before it is first scheduled.
  package mutating func belongs(to owner: AnyObject) { self.owner = .passUnretained(owner) }

  /// Under the driver's lock: the timer was taken out, to be called. Its owner is there
  /// still, since it takes the timer back before it goes.
  static func keepOwner(_ timer: TimerPointer) {
    // SAFETY: the node says so, and is the first field. Balanced by `takeOwner`.
    let timer = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: RepeatingTimer.self)
    _ = timer.pointee.owner?.retain()
  }

  /// Under the driver's lock, of one that is pending: its owner, which is there until it has
  /// taken the timer back, and nanoseconds between two times at which it is due; 0 for once.
  package static func report(
    _ timer: TimerPointer
  ) -> (owner: Unmanaged<AnyObject>?, interval: UInt64) {
    // SAFETY: the node says so, and is the first field.
    let timer = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: RepeatingTimer.self)
    return (timer.pointee.owner, timer.pointee.schedule.interval)
  }

  /// The owner of a timer whose function was called, with a reference.
  package static func takeOwner(_ raw: UnsafeMutableRawPointer) -> Unmanaged<AnyObject> {
    // SAFETY: as above.
    guard let owner = raw.assumingMemoryBound(to: RepeatingTimer.self).pointee.owner else {
      internalBug("a timer was called that nobody owns")
    }
    return owner
  }
}

extension Driver {
  // Whoever is called for a timer needs a reference to its owner. It is counted up where
  // the timer is taken out to be called, under the lock: a timer that is cancelled in time
  // has cost none.

  /// Changes the schedule of a timer, which becomes pending by it if it is active.
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
    hasInserted(node, due: deadline, calls)
    return .pending
  }

  /// Takes it back: it is not active any more. Its owner may go, unless it was taken out
  /// before, and kept.
  package func cancel(_ timer: RepeatingTimer.Pointer) {
    let node = RepeatingTimer.node(timer)
    lock.lock()
    timer.pointee.isActive = false
    let wasPending = shared.pointee.timers.remove(node)
    lock.unlock()
    if wasPending { Probe.timerCancelled(node, isGone: true) }
  }

  /// Under the lock.
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
