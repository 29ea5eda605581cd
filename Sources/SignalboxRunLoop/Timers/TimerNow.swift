// TimerNow — the readings of the uptime and wall clocks and the offset between them.
//
// Two clocks are never read at quite the same moment. To make equal dates due at the same time,
// and different dates due in order, the offset of the clocks is kept until it visibly changes,
// which means that the wall clock was set.
//
// Invariants  I1  the kept offset is not greater than the true one, apart from steps of the
//                 wall clock too small to notice: no timer is due before its date.

import FoundationEssentials
import SignalboxRuntime

struct TimerNow: Equatable {
  /// In nanoseconds.
  let uptime: Int64
  /// The wall clock's nanoseconds since 1970 minus the uptime clock's.
  let offset: Int64

  var wall: CFAbsoluteTime {
    Double(uptime + offset) / 1e9 - Date.timeIntervalBetween1970AndReferenceDate
  }

  /// The wall-clock time at an uptime.
  func date(of due: Int64) -> Date {
    Date(timeIntervalSinceReferenceDate: wall + Double(due - uptime) / 1e9)
  }

  init(uptime: Int64, wall: CFAbsoluteTime) {
    self.uptime = uptime
    offset = TimerNow.nanoseconds(wall) - uptime
  }

  private init(uptime: Int64, offset: Int64) {
    self.uptime = uptime
    self.offset = offset
  }

  // MARK: Reading the clocks

  /// Written by any thread. Every thread can measure the number for itself.
  static let keptOffset = Relaxed<Int64>(0)

  /// In nanoseconds: two offsets that differ by less count as the same. Reading both clocks
  /// takes far less.
  private static let noticed: Int64 = 50_000

  static var current: TimerNow {
    let kept = keptOffset.load()
    var best = Int64.min
    var now = uptimeNow
    // A thread that is preempted between the two readings repeats them.
    for _ in 0..<3 {
      let wall = Int64(truncatingIfNeeded: Clock.wall.now)
      now = uptimeNow
      let found = wall - now
      if abs(found - kept) < noticed { return TimerNow(uptime: now, offset: kept) }
      best = max(best, found)
    }
    // All threads use the offset of the first one that sees the change.
    let (isFirst, other) = keptOffset.compareExchange(expected: kept, desired: best)
    // The clock may have been set once more since.
    let isOwn = isFirst || abs(other - best) >= noticed
    return TimerNow(uptime: now, offset: isOwn ? best : other)
  }

  static var uptimeNow: Int64 { Int64(truncatingIfNeeded: Clock.uptime.now) }

  /// A date in nanoseconds since 1970, rounded up if the date is finer than a nanosecond.
  static func nanoseconds(_ date: CFAbsoluteTime) -> Int64 {
    let whole = date.rounded(.down)
    let seconds = Int64(whole + Date.timeIntervalBetween1970AndReferenceDate)
    return seconds * 1_000_000_000 + Int64(((date - whole) * 1e9).rounded(.up))
  }
}
