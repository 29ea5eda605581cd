// SourceTimer — the timer of a source: it can be rescheduled, and counts the times it missed.
//
// It repeats unless its interval is 0: then it fires once for each schedule.
//
// States      set or not; pending in the driver or not. A *firing* begins when the poller takes the
//             due timer out, and ends when the source's run has called the handler. When the poller
//             takes out a repeating timer, it makes it pending again in the same critical section.
//             If the timer becomes due while its firing is still under way, it is *left out*, which
//             means that it is no longer pending. So a timer whose handler cannot run, or takes long, costs
//             one wake-up and then none. The end of the firing makes it pending again. See
//             `Firing`.
// Touching    `firing`: the poller and a thread that sets a schedule, under the driver's lock; the
//             source's run, without it. Everything else: under the driver's lock. The driver's
//             call for a due timer is only a hint: `takeFires` decides by the firing's count, which
//             a new schedule resets.
// Invariants  I1  active, set and not pending ⇒ left out, and the end of its firing checks it.
//             I2  while a firing is under way, no other firing begins. So a run that has seen a
//                 firing needs the lock only if the timer was left out.
// Rejected    making the timer pending again only after the handler: that takes the lock two more
//             times for each firing, once to count and once to insert.

import CSignalbox

package struct SourceTimer: ~Copyable {
  package typealias Pointer = UnsafeMutablePointer<SourceTimer>

  fileprivate var node: TimerNode
  fileprivate var schedule = Schedule.never
  /// Whether the timer must be pending whenever it is set.
  fileprivate var isActive = false
  fileprivate let firing = Firing()
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

    /// Counts how many times the timer was due by `now`, and advances the deadline past
    /// `now`.
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
      // From the second time on, limit the leeway so that no two firings coincide.
      leeway = min(leeway, interval / 2)
      return UInt(missed + 1)
    }
  }

  /// - Parameter function: called when the timer may be due, with the address of the
  ///   timer. The function gets a reference to the owner from `takeOwner`.
  package init(_ function: @escaping TimerNode.Function) {
    node = TimerNode(.never, function, for: .source)
  }

  /// Sets the owner. Call it once, before the timer is first scheduled.
  package mutating func belongs(to owner: AnyObject) { self.owner = .passUnretained(owner) }

  /// Begins a firing of a timer that was taken out because it is due. Retains the timer's owner,
  /// which still exists, because the owner cancels the timer before it ends. Sets a repeating timer
  /// to its next time. The caller holds the driver's lock.
  ///
  /// - Returns: whether the timer must be called; otherwise it is left out.
  static func fire(_ timer: TimerPointer, at now: UInt64) -> Bool {
    // SAFETY: `purpose` is `.source`, and the node is the first field.
    let timer = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: SourceTimer.self)
    if timer.pointee.firing.leaveOut() { return false }
    timer.pointee.firing.begin(timer.pointee.schedule.advance(to: now))
    let schedule = timer.pointee.schedule
    if !schedule.deadline.isNever { timer.pointee.set(schedule) }
    // SAFETY: balanced by `takeOwner`.
    _ = timer.pointee.owner?.retain()
    return true
  }

  fileprivate mutating func set(_ schedule: Schedule) {
    node.set(schedule.deadline, leeway: schedule.leeway)
  }

  /// The owner of a pending timer, and its interval in nanoseconds, 0 for a timer that
  /// fires once. The owner exists until it has cancelled the timer. The caller holds the
  /// driver's lock.
  package static func report(
    _ timer: TimerPointer
  ) -> (owner: Unmanaged<AnyObject>?, interval: UInt64) {
    // SAFETY: `purpose` is `.source`, and the node is the first field.
    let timer = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: SourceTimer.self)
    return (timer.pointee.owner, timer.pointee.schedule.interval)
  }

  /// The owner of a timer whose function was called. The caller owns one reference.
  package static func takeOwner(_ raw: UnsafeMutableRawPointer) -> Unmanaged<AnyObject> {
    // SAFETY: the node is the first field of the timer that was called.
    guard let owner = raw.assumingMemoryBound(to: SourceTimer.self).pointee.owner else {
      internalBug("a timer without an owner was called")
    }
    return owner
  }
}

extension Driver {
  // The function of a timer needs a reference to the owner. The driver retains the owner under its
  // lock when it removes the timer to call it. So a timer that is cancelled earlier costs no
  // reference.

  /// Changes the schedule of a timer. If the timer is active, it becomes pending.
  package func schedule(_ timer: SourceTimer.Pointer, _ schedule: SourceTimer.Schedule) {
    replace(timer) { $0.schedule = schedule }
  }

  /// Makes a timer active.
  package func activate(_ timer: SourceTimer.Pointer) {
    replace(timer) { $0.isActive = true }
  }

  @inline(__always)
  private func replace(
    _ timer: SourceTimer.Pointer, _ change: (inout SourceTimer) -> Void
  ) {
    let node = SourceTimer.node(timer)
    let time = Probe.timeOfArming
    lock.lock()
    let wasPending = shared.pointee.timers.remove(node)
    timer.pointee.firing.forget()
    change(&timer.pointee)
    let isPending = timer.pointee.isActive && !timer.pointee.schedule.deadline.isNever
    let calls = isPending && insert(timer)
    let due = timer.pointee.schedule.deadline
    lock.unlock()
    if isPending {
      hasInserted(node, due: due, at: time, calls)
    } else if wasPending {
      Probe.timerCancelled(node, isGone: false)
    }
  }

  /// What a run of a timer's source found.
  package struct Fires {
    /// How many times the timer was due; 0 if it was not.
    package let count: UInt
    /// Whether a firing is under way. Then call `endFiring` once the handler has returned.
    package let mustEnd: Bool
  }

  /// Counts how many times the timer was due.
  package func takeFires(_ timer: SourceTimer.Pointer) -> Fires {
    let seen = timer.pointee.firing.now
    if seen.isLeftOut { return takeMissed(timer) }
    return Fires(count: seen.count, mustEnd: seen.isUnderWay)
  }

  /// The same for a timer that was left out: also counts how many times it was due after its firing
  /// began. Advances its schedule.
  private func takeMissed(_ timer: SourceTimer.Pointer) -> Fires {
    lock.lock()
    defer { lock.unlock() }
    let seen = timer.pointee.firing.now
    guard seen.isLeftOut else { return Fires(count: seen.count, mustEnd: seen.isUnderWay) }
    let now = kernel.now(timer.pointee.schedule.deadline.clock)
    let missed = timer.pointee.schedule.advance(to: now)
    return Fires(count: seen.count + missed, mustEnd: true)
  }

  /// Ends a firing, because the handler has returned. Makes the timer pending again if it was left
  /// out.
  ///
  /// - Returns: whether the source must run once more, because the timer is due again.
  package func endFiring(_ timer: SourceTimer.Pointer) -> Bool {
    timer.pointee.firing.end().isLeftOut && armAgain(timer)
  }

  @inline(never)
  private func armAgain(_ timer: SourceTimer.Pointer) -> Bool {
    let node = SourceTimer.node(timer)
    let time = Probe.timeOfArming
    lock.lock()
    let deadline = timer.pointee.schedule.deadline
    // If another firing is under way, or the timer is pending, it has been rescheduled since.
    let isOut = timer.pointee.node.heapIndex < 0 && !timer.pointee.firing.now.isUnderWay
    guard timer.pointee.isActive, isOut, !deadline.isNever else {
      lock.unlock()
      return false
    }
    if deadline.nanoseconds <= kernel.now(deadline.clock) {
      timer.pointee.firing.beginLeftOut()
      lock.unlock()
      return true
    }
    let calls = insert(timer)
    lock.unlock()
    hasInserted(node, due: deadline, at: time, calls)
    return false
  }

  /// Cancels the timer: it is no longer active. Its owner may end, unless the driver has
  /// already taken the timer out and retained the owner.
  package func cancel(_ timer: SourceTimer.Pointer) {
    let node = SourceTimer.node(timer)
    lock.lock()
    timer.pointee.isActive = false
    let wasPending = shared.pointee.timers.remove(node)
    lock.unlock()
    if wasPending { Probe.timerCancelled(node, isGone: true) }
  }

  /// The caller holds the lock.
  private func insert(_ timer: SourceTimer.Pointer) -> Bool {
    timer.pointee.set(timer.pointee.schedule)
    return insert(SourceTimer.node(timer))
  }
}

extension SourceTimer {
  fileprivate static func node(_ timer: Pointer) -> TimerPointer {
    // SAFETY: the node is the first field.
    UnsafeMutableRawPointer(timer).assumingMemoryBound(to: TimerNode.self)
  }
}

// MARK: A firing

extension SourceTimer {
  /// The state of a timer's firing: none, on its way to the source's run, or in the run.
  ///
  /// | word | meaning | leaves it by |
  /// | --- | --- | --- |
  /// | 0 | none is under way | `begin`, under the lock |
  /// | under way, and a count | the timer was called; a run takes the count | `end`, in the run |
  /// | and left out | the timer came due once more, and is not pending | `end`; then `armAgain` |
  ///
  /// The word contains the count, and everything else is under the driver's lock. So no access
  /// needs to order other memory. The run sees the firing because the poller wakes the source
  /// afterwards (SS1).
  fileprivate struct Firing: ~Copyable {
    /// Written under the driver's lock while no firing is under way. While one is, a run may end it
    /// at the same time.
    private let word = Relaxed<UInt64>(0)

    private static let underWay: UInt64 = 1
    private static let leftOut: UInt64 = 2
    private static let countShift: UInt64 = 2
    private static let most = UInt64.max >> countShift

    struct Snapshot {
      fileprivate let bits: UInt64
      var isUnderWay: Bool { bits & Firing.underWay != 0 }
      var isLeftOut: Bool { bits & Firing.leftOut != 0 }
      var count: UInt { UInt(bits >> Firing.countShift) }
    }

    var now: Snapshot { Snapshot(bits: word.load()) }

    // MARK: Under the driver's lock

    /// Begins a firing. None is under way.
    func begin(_ count: UInt) {
      word.store(min(UInt64(count), Firing.most) << Firing.countShift | Firing.underWay)
    }

    /// Begins a firing of a timer that is due and not pending. No firing may be under way.
    func beginLeftOut() { word.store(Firing.underWay | Firing.leftOut) }

    /// Notes that the timer came due again.
    ///
    /// - Returns: whether a firing is under way; otherwise nothing changes.
    func leaveOut() -> Bool { changeUnderWay { $0 | Firing.leftOut } }

    /// Drops the count, because the timer has a new schedule and may be pending.
    func forget() { _ = changeUnderWay { _ in Firing.underWay } }

    /// A run may end the firing at the same time, and nothing else changes the word.
    private func changeUnderWay(_ change: (UInt64) -> UInt64) -> Bool {
      let old = word.load()
      guard old != 0 else { return false }
      return word.compareExchange(expected: old, desired: change(old)).exchanged
    }

    // MARK: In the source's run

    /// Ends the firing that the run has seen.
    func end() -> Snapshot { Snapshot(bits: word.exchange(0)) }
  }
}
