// WakeUpBudget — how many wake-ups of their own the timers with the usual leeway may have.
//
// The usual leeway is a permission. A timer fires when it is due, unless the wake-ups that its
// leeway saves would cost more than a hundredth of a processor. A driver that used each leeway in
// full would wake once for all timers that are due until the latest time of the first one. So the
// first wake-up for such a *group* is free. Each further one until the group's end is paid from a
// budget: the next may be at any time from which the budget suffices. The budget grows with
// time, up to that of a window, so what counts is the rate in the last window.
//
// Touching    everything: under the driver's lock.
// Rejected    counting wake-ups in windows of fixed length: a burst spends its window's count in
//             the first milliseconds, and waits for the rest of the window.
//             Counting every wake-up: a timer a millisecond would wait although its leeway saves
//             nothing.

struct WakeUpBudget {
  /// What a wake-up costs, in nanoseconds of processor time: the poller's sleep, the kernel's timer
  /// and a cold cache. 13 µs on an idle virtual machine with two processors, 34 µs while other
  /// programs ran: the difference between items a millisecond apart that wake a thread each and
  /// such that share wake-ups.
  static let cost: UInt64 = 20_000
  /// One part in this many of a processor's time may go to wake-ups that leeway would save.
  private static let share: UInt64 = 100
  /// For how long an unspent budget is kept, in nanoseconds.
  private static let window: UInt64 = 100_000_000
  /// The time between two wake-ups that cost this share.
  static let spacing = cost * share

  /// The end of the group of the last wake-up.
  private var groupEnd: UInt64 = 0
  /// From this time on a further wake-up is paid for.
  private var paidFrom: UInt64 = 0

  /// When the driver wakes for `timer`, if it has the usual leeway and is the first one.
  func time(for timer: TimerPointer) -> UInt64 {
    let deadline = timer.pointee.deadline
    return deadline > groupEnd ? deadline : min(max(deadline, paidFrom), timer.pointee.latest)
  }

  /// Notes that the driver has woken for `timer`. A clock that was set back leaves no debt.
  mutating func hasWoken(for timer: TimerPointer, at now: UInt64) {
    let (deadline, latest) = (timer.pointee.deadline, timer.pointee.latest)
    if deadline > groupEnd { return groupEnd = latest }
    // It waited until the next group, whose first wake-up this is too.
    if now > groupEnd { return groupEnd += latest - deadline }
    let kept = now > WakeUpBudget.window ? now - WakeUpBudget.window : 0
    paidFrom = min(max(paidFrom, kept), now) + WakeUpBudget.spacing
  }
}
