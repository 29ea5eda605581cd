// CFAbsoluteTime+Deadline — converts seconds and dates to points on the uptime clock, which run
// loops use as deadlines.
//
// A run converts its date once, when it begins. If the wall clock is set afterwards, the
// deadline does not move; Apple's run loops behave the same way.

import FoundationEssentials
import SignalboxRuntime

extension CFAbsoluteTime {
  static var current: CFAbsoluteTime {
    CFAbsoluteTime(Clock.wall.now) / 1e9 - Date.timeIntervalBetween1970AndReferenceDate
  }
}

/// A point on the uptime clock, in nanoseconds.
enum UptimeLimit {
  static let passed: UInt64 = 0
  static let never = UInt64.max

  /// The point `seconds` from now. NaN counts as already passed.
  static func after(_ seconds: CFTimeInterval) -> UInt64 {
    guard seconds > 0 else { return passed }
    let now = Clock.uptime.now
    let nanoseconds = seconds * 1e9
    if nanoseconds >= Double(Int64.max - Int64(now)) { return never }
    return now + UInt64(nanoseconds)
  }

  /// The time at which the wall clock will show `date`, if the clock is not set
  /// in the meantime.
  static func at(_ date: Date) -> UInt64 {
    after(date.timeIntervalSinceReferenceDate - CFAbsoluteTime.current)
  }
}
