// WakeUpBudget — how many additional wake-ups the timers with the usual leeway may cause.
//
// The usual leeway is a permission. A timer fires when it is due, unless the wake-ups that its
// leeway saves would cost more than a hundredth of a processor. A driver that used each leeway in
// full would wake once for all timers that are due until the latest time of the first one. So the
// first wake-up for such a *group* is free. Each further wake-up until the group's end is paid from
// a budget. The budget grows with time, up to the budget of one window, so it limits the share of
// processor time in the last window. While nearly all of the budget is unspent, a further wake-up
// may happen at any time. After that, the wake-ups are spaced out: the less budget is left, the
// longer the distance between them. So even the last milliseconds of a burst find some budget.
//
// Touching    everything: under the driver's lock.
// Rejected    counting wake-ups in windows of fixed length, or not spacing wake-ups out: a burst
//             spends the window's budget in its first milliseconds, and waits for the rest of the
//             window.
//             Counting every wake-up: with one timer each millisecond, the timers would wait
//             although their leeway saves nothing.

struct WakeUpBudget {
  /// What a wake-up costs, in nanoseconds of processor time: the poller's sleep, the kernel's timer
  /// and a cold cache. 13 µs on an idle virtual machine with two processors, 34 µs while other
  /// programs ran: the difference between items a millisecond apart that each wake a thread, and
  /// items that share wake-ups.
  static let cost: UInt64 = 20_000
  /// One part in this many of a processor's time may go to wake-ups that leeway would save.
  private static let share: UInt64 = 100
  /// For how long an unspent budget is kept, in nanoseconds.
  static let window: UInt64 = 1_000_000_000
  /// With this much unspent, wake-ups are not spaced out.
  private static let plenty = window / 10 * 9
  /// How long the unspent budget would last if wake-ups continued at the current distance, in
  /// nanoseconds. The less is left, the longer the distance.
  private static let reach: UInt64 = 50_000_000
  /// The distance at which wake-ups cost this share.
  static let spacing = cost * share

  /// The end of the group of the last wake-up.
  private var groupEnd: UInt64 = 0
  /// The budget is the time that has passed since this moment, at most the window.
  private var grownFrom: UInt64 = 0
  /// The time of the last wake-up.
  private var last: UInt64 = 0

  /// When the driver wakes for `timer`, if it has the usual leeway and is the first one.
  func time(for timer: TimerPointer) -> UInt64 {
    let deadline = timer.pointee.deadline
    if deadline > groupEnd { return deadline }
    return min(max(deadline, paid(at: deadline)), timer.pointee.latest)
  }

  /// The time from which the budget, as it is at `time`, pays for a further wake-up.
  private func paid(at time: UInt64) -> UInt64 {
    guard time > grownFrom else { return .max }
    let budget = min(time - grownFrom, WakeUpBudget.window)
    if budget >= WakeUpBudget.plenty { return time }
    return last + WakeUpBudget.reach * WakeUpBudget.spacing / budget
  }

  /// Notes that the driver has woken for `timer`. A clock that was set back leaves no debt.
  mutating func hasWoken(for timer: TimerPointer, at now: UInt64) {
    let (deadline, latest) = (timer.pointee.deadline, timer.pointee.latest)
    if now < last { groupEnd = 0 }
    last = now
    if deadline > groupEnd { return groupEnd = latest }
    // The timer waited until the next group, so this is also the first wake-up of that group.
    if now > groupEnd { return groupEnd += latest - deadline }
    let kept = now > WakeUpBudget.window ? now - WakeUpBudget.window : 0
    grownFrom = min(max(grownFrom, kept), now) + WakeUpBudget.spacing
  }
}
