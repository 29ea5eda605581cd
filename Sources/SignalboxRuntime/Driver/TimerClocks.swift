// TimerClocks — the pending timers of all clocks, and the kernel's timer of each clock.
//
// Touching    everything: under the driver's lock.
// Invariants  I1  the kernel's timer of a clock is set at or before the time at which that
//                 clock's first timer must fire, or the thread that inserted that timer
//                 is about to set it. After a cancellation it may be set too early: one
//                 needless wake-up is cheaper than a system call for each cancellation.

import CSignalbox

/// A timer that was taken out to be called, with the deadline that it had. The program may have
/// rescheduled it since.
struct DueTimer {
  let timer: TimerPointer
  let deadline: Deadline
  /// How long ago the deadline was, in nanoseconds.
  let late: UInt64
  /// Its next deadline, if it repeats and therefore is pending again.
  let next: Deadline?
}

struct TimerClocks {
  private struct One {
    /// The timers with a leeway that the program gave, and those with the usual leeway.
    var given = TimerHeap()
    var usual = TimerHeap()
    var budget = WakeUpBudget()
    /// The time for which the kernel's timer is set; 0 if it is not set.
    var setTo: UInt64 = 0
    /// Whether the kernel's timer has expired since the last `collect`.
    var hasExpired = false

    var count: Int { given.count + usual.count }
    var isEmpty: Bool { given.isEmpty && usual.isEmpty }

    func forEachHeap(_ body: (TimerHeap) -> Void) {
      body(given)
      body(usual)
    }

    /// When the driver must wake; nil for never.
    var next: UInt64? {
      let (given, usual) = (given.first?.pointee.latest, usual.first.map(budget.time))
      guard let given, let usual else { return given ?? usual }
      return min(given, usual)
    }

    /// Counts, in the budget, a wake-up that only timers with the usual leeway needed.
    mutating func countWakeUp(at now: UInt64) {
      guard hasExpired else { return }
      hasExpired = false
      guard let usual = usual.first, usual.pointee.deadline <= now else { return }
      if let given = given.first, given.pointee.latest <= now { return }
      budget.hasWoken(for: usual, at: now)
    }
  }
  private var uptime = One()
  private var wall = One()
  private var continuous = One()
  /// How many timers are pending, and how late the timers were that `collect` has taken out; a C
  /// structure, for readers in other processes.
  var lateness = csb_outside_timers()

  var count: Int { uptime.count + wall.count + continuous.count }
  var isEmpty: Bool { uptime.isEmpty && wall.isEmpty && continuous.isEmpty }

  /// Two for each clock.
  static var heapCount: Int { 6 }

  func forEachHeap(_ body: (TimerHeap) -> Void) {
    uptime.forEachHeap(body)
    wall.forEachHeap(body)
    continuous.forEachHeap(body)
  }

  mutating func insert(_ timer: TimerPointer, _ kernel: any DriverKernel) {
    lateness.armed &+= 1
    let clock = timer.pointee.clock
    with(clock) { one in
      let time: UInt64
      if timer.pointee.hasUsualLeeway {
        one.usual.insert(timer)
        time = one.budget.time(for: timer)
      } else {
        one.given.insert(timer)
        time = timer.pointee.latest
      }
      guard one.setTo == 0 || time < one.setTo else { return }
      kernel.set(clock, to: time)
      one.setTo = time
    }
  }

  /// - Returns: whether the timer was pending.
  mutating func remove(_ timer: TimerPointer) -> Bool {
    let wasPending = with(timer.pointee.clock) {
      timer.pointee.hasUsualLeeway ? $0.usual.remove(timer) : $0.given.remove(timer)
    }
    if wasPending { lateness.armed &-= 1 }
    return wasPending
  }

  /// Makes the poller's sleep end. The next `collect` sets the kernel's timer again.
  mutating func expireNow(_ kernel: any DriverKernel) {
    kernel.set(.uptime, to: 1)
    uptime.setTo = 1
  }

  /// The kernel's timer of `clock` has expired, so it is not set any more. This holds
  /// even if the clock was set back since and shows an earlier time.
  mutating func hasExpired(_ clock: Clock) {
    with(clock) {
      $0.setTo = 0
      $0.hasExpired = true
    }
  }

  /// Takes out the timers that are due, and sets the kernel's timers for the rest.
  mutating func collect(into due: inout [DueTimer], _ kernel: any DriverKernel) {
    let collected = due.count
    collect(.uptime, into: &due, kernel)
    collect(.wall, into: &due, kernel)
    collect(.continuous, into: &due, kernel)
    for each in due[collected...] {
      lateness.fired += 1
      lateness.late &+= each.late
      lateness.latest = max(lateness.latest, each.late)
    }
    lateness.armed = UInt64(count)
  }

  private mutating func collect(
    _ clock: Clock, into due: inout [DueTimer], _ kernel: any DriverKernel
  ) {
    with(clock) { one in
      guard !one.isEmpty else { return one.setTo = 0 }
      let now = kernel.now(clock)
      one.countWakeUp(at: now)
      let collected = due.count
      Self.take(from: &one.given, at: now, into: &due)
      // Insert these only now, so that no timer hides another one that is due.
      for each in due[collected...] where each.next != nil { one.given.insert(each.timer) }
      Self.take(from: &one.usual, at: now, into: &due)
      guard let next = one.next else { return one.setTo = 0 }
      // The kernel's timer is still set early enough.
      if one.setTo > now && one.setTo <= next { return }
      kernel.set(clock, to: next)
      one.setTo = next
    }
  }

  private static func take(
    from heap: inout TimerHeap, at now: UInt64, into due: inout [DueTimer]
  ) {
    while let timer = heap.first, timer.pointee.deadline <= now {
      _ = heap.remove(timer)
      let deadline = timer.pointee.deadline
      if timer.pointee.purpose == .source && !SourceTimer.fire(timer, at: now) { continue }
      let next = timer.pointee.deadline
      let clock = timer.pointee.clock
      due.append(
        DueTimer(
          timer: timer, deadline: Deadline(clock, deadline), late: now - deadline,
          next: next == deadline ? nil : Deadline(clock, next)))
    }
  }

  @inline(__always)
  private mutating func with<T>(_ clock: Clock, _ body: (inout One) -> T) -> T {
    switch clock {
    case .uptime: body(&uptime)
    case .wall: body(&wall)
    case .continuous: body(&continuous)
    }
  }
}
