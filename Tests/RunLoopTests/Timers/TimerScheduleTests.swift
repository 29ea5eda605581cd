// TimerScheduleTests — when a timer is due, with clocks that the test sets.

import FoundationEssentials
import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

@Suite(.guarded)
struct TimerScheduleTests {
  static let second: Int64 = 1_000_000_000

  /// The clocks at the same second.
  private func at(_ seconds: Double, steppedBy step: Double = 0) -> TimerNow {
    TimerNow(uptime: Int64(seconds * 1e9), wall: 700_000_000 + seconds + step)
  }

  private func date(of schedule: TimerSchedule, _ now: TimerNow) -> CFAbsoluteTime {
    var schedule = schedule
    return schedule.date(now)
  }

  @Test func dateBecomesAPointOfTheUptimeClock() {
    let schedule = TimerSchedule(at: 700_000_012, now: at(10), interval: 0)
    #expect(schedule.due == 12 * Self.second)
    #expect(schedule.latest == schedule.due)
    #expect(date(of: schedule, at(11)) == 700_000_012)
    #expect(!schedule.repeats)
  }

  @Test func secondsFromNowBecomeADateOnRequest() {
    let schedule = TimerSchedule(after: 2, uptime: 10 * Self.second, interval: 2)
    #expect(schedule.due == 12 * Self.second)
    #expect(date(of: schedule, at(11)) == 700_000_012)
  }

  @Test func nothingIsDueBeforeItsTimeAtAnyPrecision() {
    let schedule = TimerSchedule(after: 1.000_000_000_4, uptime: 0, interval: 0)
    #expect(schedule.due == Self.second + 1)
  }

  @Test func gridIsKeptPastAllThatWereMissed() {
    for late in [0, 0.1, 0.999, 1, 1.5, 7, 7.25] {
      var schedule = TimerSchedule(at: 700_000_003, now: at(0), interval: 1)
      schedule.advance(past: at(3 + late))
      let steps = late.rounded(.down) + 1
      #expect(schedule.due == Int64(3 + steps) * Self.second, "late by \(late)")
      #expect(date(of: schedule, at(3 + late)) == 700_000_003 + steps, "late by \(late)")
    }
  }

  @Test func timerThatIsNotDueIsUnchanged() {
    var schedule = TimerSchedule(at: 700_000_003, now: at(0), interval: 1)
    schedule.advance(past: at(2.999))
    #expect(schedule.due == 3 * Self.second)
  }

  @Test func toleranceIsHalfAnIntervalAtMostAndNeverNegative() {
    for (asked, used) in [(0.25, 0.25), (0.75, 0.5), (-1.0, 0.0), (.infinity, 0.5)] {
      var schedule = TimerSchedule(at: 700_000_003, now: at(0), interval: 1)
      schedule.setTolerance(asked)
      #expect(schedule.tolerance == used)
      #expect(schedule.latest == schedule.due + Int64(used * 1e9))
    }
    var once = TimerSchedule(at: 700_000_003, now: at(0), interval: 0)
    once.setTolerance(100)
    #expect(once.latest == 103 * Self.second)
    once.setTolerance(.infinity)
    #expect(once.latest == TimerSchedule.never)
  }

  @Test func stepOfTheWallClockMovesTheDateThatIsShownAndNotTheTime() {
    var schedule = TimerSchedule(at: 700_000_003, now: at(0), interval: 1)
    schedule.advance(past: at(3.5, steppedBy: 3_600))
    #expect(schedule.due == 4 * Self.second)
    #expect(abs(date(of: schedule, at(3.5, steppedBy: 3_600)) - 700_003_604) < 0.001)
    // There is no drift either, from readings that are slightly apart.
    schedule.advance(past: at(4.5, steppedBy: 3_600.01))
    #expect(abs(date(of: schedule, at(4.5)) - 700_003_605) < 0.001)
  }

  @Test func anyDateIsAccepted() {
    let past = Date.distantPast.timeIntervalSinceReferenceDate
    for interval in [0, 0.001, 1, 1_000, 1e12] {
      var schedule = TimerSchedule(at: past, now: at(5), interval: interval)
      #expect(schedule.due <= 5 * Self.second)
      #expect(date(of: schedule, at(5)) == past)
      if interval > 0 {
        schedule.advance(past: at(5))
        #expect(schedule.due > 5 * Self.second)
      }
    }
    let future = Date.distantFuture.timeIntervalSinceReferenceDate
    var schedule = TimerSchedule(at: future, now: at(5), interval: 1)
    #expect(schedule.due == TimerSchedule.never)
    #expect(schedule.latest == TimerSchedule.never)
    #expect(date(of: schedule, at(5)) == future)
    schedule.advance(past: at(6))
    #expect(schedule.due == TimerSchedule.never)
  }

  @Test func farPastLiesOnTheSameGrid() {
    // 4,000,000,000 seconds and a quarter of an interval ago.
    var schedule = TimerSchedule(
      at: 700_000_010 - 4_000_000_000 - 250, now: at(10), interval: 1_000)
    schedule.advance(past: at(10))
    #expect(abs(schedule.due - 760 * Self.second) < 1_000)
  }

  @Test func infiniteIntervalNeverEnds() {
    var schedule = TimerSchedule(at: 700_000_000, now: at(10), interval: .infinity)
    #expect(schedule.due == 0)
    schedule.advance(past: at(10))
    #expect(schedule.due == TimerSchedule.never)
  }
}
