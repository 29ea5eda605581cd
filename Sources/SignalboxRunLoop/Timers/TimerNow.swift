// TimerNow — what the clocks show, and how far they are apart.
//
// Readings of two clocks are never quite of one moment. So that equal dates are due at the
// same time, and in the order of their dates, the distance of the clocks is kept until they
// show another: until the wall clock is stepped.
//
// Touching    `keptOffset`: any thread, atomically.
// Invariants  I1  the distance is not greater than the true one, but for what a step of the
//                 wall clock goes unnoticed: nothing that has a date is due before it.

import FoundationEssentials
import SignalboxRuntime
import Synchronization

struct TimerNow: Equatable {
  /// Nanoseconds.
  let uptime: Int64
  /// The wall clock's nanoseconds since 1970, less the uptime clock's.
  let offset: Int64

  /// The wall clock's time.
  var wall: CFAbsoluteTime {
    Double(uptime + offset) / 1e9 - Date.timeIntervalBetween1970AndReferenceDate
  }

  /// The wall clock's time at an uptime.
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

  static let keptOffset = Atomic<Int64>(0)

  /// In nanoseconds: so far apart are two distances that are taken for one. A reading takes
  /// far less.
  private static let noticed: Int64 = 50_000

  static var current: TimerNow {
    // order: relaxed; a number that every thread can find out for itself.
    let kept = keptOffset.load(ordering: .relaxed)
    var best = Int64.min
    var now = uptimeNow
    // A thread that loses the processor between the two clocks reads them again.
    for _ in 0..<3 {
      let wall = Int64(truncatingIfNeeded: Clock.wall.now)
      now = uptimeNow
      let found = wall - now
      if abs(found - kept) < noticed { return TimerNow(uptime: now, offset: kept) }
      best = max(best, found)
    }
    keptOffset.store(best, ordering: .relaxed)  // order: relaxed; as above.
    return TimerNow(uptime: now, offset: best)
  }

  static var uptimeNow: Int64 { Int64(truncatingIfNeeded: Clock.uptime.now) }

  /// A date in nanoseconds since 1970, exact where that of a date is finer than nanoseconds
  /// can be: rounded up.
  static func nanoseconds(_ date: CFAbsoluteTime) -> Int64 {
    let whole = date.rounded(.down)
    let seconds = Int64(whole + Date.timeIntervalBetween1970AndReferenceDate)
    return seconds * 1_000_000_000 + Int64(((date - whole) * 1e9).rounded(.up))
  }
}
