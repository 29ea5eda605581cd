// TimerSchedule — when a timer is due, how much later it may fire, and when it is due next.
//
// When a date is set, the schedule converts it to the uptime clock, and from then on uses only that
// clock. So if the wall clock is set, the timer does not move, as on Apple's systems. After such a
// step, the date that the schedule shows is wrong until the timer fires next.
//
// Touching    a value: its owner. It reads no clock.

import FoundationEssentials

struct TimerSchedule {
  /// On the uptime clock, in nanoseconds; negative if it lies before the clock's beginning.
  private(set) var due: Int64
  /// In seconds; 0 means that the timer fires once.
  let interval: CFTimeInterval
  /// In seconds.
  private(set) var tolerance: CFTimeInterval = 0
  /// The date of `due`, as the program requested it or as the grid gives it; nil until it is
  /// needed.
  private var date: CFAbsoluteTime?

  static let never = Int64.max

  /// What Apple's documentation uses for intervals of 0 or less.
  static let leastInterval: CFTimeInterval = 0.0001

  /// If the wall clock differs from the expected time by this much, it was set. A smaller
  /// difference is time that passed between the readings of the two clocks.
  static let noticedStep: CFTimeInterval = 0.05

  /// - Parameter seconds: the seconds from now.
  init(after seconds: CFTimeInterval, uptime: Int64, interval: CFTimeInterval) {
    self.interval = interval
    due = TimerSchedule.point(uptime, plus: seconds, interval)
  }

  init(at date: CFAbsoluteTime, now: TimerNow, interval: CFTimeInterval) {
    self.interval = interval
    self.date = date
    due = TimerSchedule.point(date, now, interval)
  }

  var repeats: Bool { interval > 0 }

  /// The latest time at which the timer may fire.
  var latest: Int64 {
    tolerance == 0 ? due : TimerSchedule.sum(due, TimerSchedule.nanoseconds(tolerance))
  }

  mutating func date(_ now: @autoclosure () -> TimerNow) -> CFAbsoluteTime {
    if let date { return date }
    let shown = shownDate(now())
    date = shown
    return shown
  }

  // MARK: Changes

  mutating func set(_ date: CFAbsoluteTime, now: TimerNow) {
    self.date = date
    due = TimerSchedule.point(date, now, interval)
  }

  /// For a repeating timer, at most half an interval, so that no two fires coincide.
  mutating func setTolerance(_ seconds: CFTimeInterval) {
    tolerance = repeats ? min(max(0, seconds), interval / 2) : max(0, seconds)
  }

  /// Moves to the first date of the grid after `now`, skipping all that were missed.
  mutating func advance(past now: TimerNow) {
    guard due <= now.uptime, due != TimerSchedule.never else { return }
    let step = TimerSchedule.nanoseconds(interval)
    let late = now.uptime.subtractingReportingOverflow(due)
    if step == TimerSchedule.never || late.overflow {
      due = TimerSchedule.never
      date = Date.distantFuture.timeIntervalSinceReferenceDate
      return
    }
    let steps = late.partialValue / step + 1
    let (length, overflow) = steps.multipliedReportingOverflow(by: step)
    due = overflow ? TimerSchedule.never : TimerSchedule.sum(due, length)
    let shown = shownDate(now)
    let next = date.map { $0 + Double(steps) * interval } ?? shown
    date = abs(next - shown) < TimerSchedule.noticedStep ? next : shown
  }

  private func shownDate(_ now: TimerNow) -> CFAbsoluteTime {
    if due == TimerSchedule.never { return Date.distantFuture.timeIntervalSinceReferenceDate }
    return now.wall + Double(due - now.uptime) / 1e9
  }

  // MARK: Arithmetic

  /// Rounds up, so that nothing is due before its time.
  private static func nanoseconds(_ seconds: CFTimeInterval) -> Int64 {
    let nanoseconds = (seconds * 1e9).rounded(.up)
    return nanoseconds < 9e18 ? Int64(nanoseconds) : never
  }

  private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? never : sum
  }

  /// Maps equal dates to equal points, whenever they are converted.
  private static func point(
    _ date: CFAbsoluteTime, _ now: TimerNow, _ interval: CFTimeInterval
  ) -> Int64 {
    let seconds = date - now.wall
    guard abs(seconds) < century else { return point(now.uptime, plus: seconds, interval) }
    return TimerNow.nanoseconds(date) - now.offset
  }

  /// Beyond this, nanoseconds soon overflow.
  private static let century: CFTimeInterval = 3.2e9

  /// The point `seconds` after `now`. For a point too far in the past, returns one on the same
  /// grid.
  private static func point(
    _ now: Int64, plus seconds: CFTimeInterval, _ interval: CFTimeInterval
  ) -> Int64 {
    if seconds >= 0 { return sum(now, nanoseconds(seconds)) }
    if seconds > -century { return now + nanoseconds(seconds) }
    guard interval > 0, interval < century, seconds.isFinite else {
      return now - nanoseconds(century)
    }
    return now + nanoseconds(seconds.truncatingRemainder(dividingBy: interval))
  }
}
