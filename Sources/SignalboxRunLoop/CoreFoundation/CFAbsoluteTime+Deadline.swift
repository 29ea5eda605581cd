// CFAbsoluteTime+Deadline — how seconds and dates become points of the uptime clock, by
// which loops sleep.
//
// A date is turned into one when a loop is asked to run until then: a step of the wall
// clock afterwards does not move it, as it does not on Apple's systems.

import FoundationEssentials
import SignalboxRuntime

extension CFAbsoluteTime {
  /// The wall clock's now.
  static var current: CFAbsoluteTime {
    CFAbsoluteTime(Clock.wall.now) / 1e9 - Date.timeIntervalBetween1970AndReferenceDate
  }
}

/// A point of the uptime clock, in nanoseconds.
enum UptimeLimit {
  /// The point that has always passed.
  static let passed: UInt64 = 0
  /// The one that never comes.
  static let never = UInt64.max

  /// So many seconds from now. What is no number has passed.
  static func after(_ seconds: CFTimeInterval) -> UInt64 {
    guard seconds > 0 else { return passed }
    let now = Clock.uptime.now
    let nanoseconds = seconds * 1e9
    if nanoseconds >= Double(Int64.max - Int64(now)) { return never }
    return now + UInt64(nanoseconds)
  }

  /// When the wall clock will show `date`, if nobody steps it.
  static func at(_ date: Date) -> UInt64 {
    after(date.timeIntervalSinceReferenceDate - CFAbsoluteTime.current)
  }
}
