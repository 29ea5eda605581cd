// TimeFunctions — the functions of <dispatch/time.h>, and the encoding of `dispatch_time_t`.
//
// bits 63 and 62   the other bits
// 00               nanoseconds of uptime; all zero: now
// 10               nanoseconds on the clock that continues during suspension; all zero: now
// 11               nanoseconds since 1970, negated; -1: for ever; -2: now
// 01               nothing; like the toolchain, we read it as: for ever

package import Glibc
import SignalboxRuntime

/// The time `delta` nanoseconds after `time`, on the clock of `time`.
@_cdecl("dispatch_time")
package func dispatchTime(_ time: UInt64, _ delta: Int64) -> UInt64 {
  guard let point = TimePoint(time) else { return TimePoint.forever }
  return point.moved(by: delta)
}

/// The time `delta` nanoseconds after `time`, or after now for NULL, on the wall clock.
@_cdecl("dispatch_walltime")
package func dispatchWallTime(_ time: UnsafePointer<timespec>?, _ delta: Int64) -> UInt64 {
  let start =
    time.map { Int64($0.pointee.tv_sec) &* 1_000_000_000 &+ Int64($0.pointee.tv_nsec) }
    ?? Int64(truncatingIfNeeded: Clock.wall.now)
  let sum = start &+ delta
  // -1 and 0 have meanings of their own.
  if sum <= 1 { return delta >= 0 ? TimePoint.forever : TimePoint.wallNow }
  return 0 &- UInt64(sum)
}

/// A point in time that is not for ever, with its clock.
private struct TimePoint {
  let clock: Clock
  let nanoseconds: UInt64

  static let forever = UInt64.max
  static let wallNow = UInt64.max - 1
  private static let largest: UInt64 = 1 << 62 - 1

  /// Decodes a time; nil if it is for ever. A time that means now becomes the clock's present time.
  init?(_ encoded: UInt64) {
    switch encoded >> 62 {
    case 0:
      self.init(.uptime, encoded == 0 ? Clock.uptime.now : encoded)
    case 2:
      let value = encoded & TimePoint.largest
      self.init(.continuous, value == 0 ? Clock.continuous.now : value)
    case 3 where encoded != TimePoint.forever:
      self.init(.wall, encoded == TimePoint.wallNow ? Clock.wall.now : 0 &- encoded)
    default: return nil
    }
  }

  private init(_ clock: Clock, _ nanoseconds: UInt64) {
    self.clock = clock
    self.nanoseconds = nanoseconds
  }

  /// The encoded time `delta` later. A result beyond the range is for ever; one before the
  /// clock's start is the first time that has no other meaning.
  func moved(by delta: Int64) -> UInt64 {
    let first: UInt64 = clock == .wall ? 2 : 1
    if delta < 0 {
      let distance = delta.magnitude
      let moved = nanoseconds > distance ? nanoseconds - distance : 0
      return TimePoint(clock, max(moved, first)).encoded
    }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(delta))
    if overflow || sum > TimePoint.largest { return TimePoint.forever }
    return TimePoint(clock, sum).encoded
  }

  private var encoded: UInt64 {
    switch clock {
    case .uptime: nanoseconds
    case .continuous: nanoseconds | 1 << 63
    case .wall: 0 &- nanoseconds
    }
  }
}

extension Deadline {
  /// The deadline that a `dispatch_time_t` encodes.
  init(encoded: UInt64) {
    // An encoded "now" has already passed, so the clock need not be read.
    if encoded == 0 || encoded == TimePoint.wallNow {
      self.init(.uptime, 0)
    } else if let point = TimePoint(encoded) {
      self.init(point.clock, point.nanoseconds)
    } else {
      self = .never
    }
  }

  /// The same for a thread's wait. No thread can sleep on the clock that continues during
  /// suspension, so the thread sleeps for the remaining time on the uptime clock. It wakes late if
  /// the machine is suspended meanwhile.
  static func ofWait(_ encoded: UInt64) -> Deadline {
    let deadline = Deadline(encoded: encoded)
    guard deadline.clock == .continuous else { return deadline }
    let now = Clock.continuous.now
    let left = deadline.nanoseconds > now ? deadline.nanoseconds - now : 0
    return Deadline(.uptime, Clock.uptime.now + left)
  }
}
