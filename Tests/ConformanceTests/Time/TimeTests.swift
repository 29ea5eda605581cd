// TimeTests — times and intervals, their arithmetic and its saturation.

import SignalboxDispatch
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct TimeTests {
  static let intervals: [(DispatchTimeInterval, UInt64)] = [
    (.seconds(3), 3_000_000_000), (.milliseconds(3), 3_000_000), (.microseconds(3), 3000),
    (.nanoseconds(3), 3), (.seconds(0), 0),
  ]

  @Test func nowIsTheMonotonicClock() {
    let before = Uptime.now().nanoseconds
    let now = DispatchTime.now()
    let after = Uptime.now().nanoseconds
    #expect(now.uptimeNanoseconds >= before && now.uptimeNanoseconds <= after)
    #expect(now.rawValue == now.uptimeNanoseconds)
    #expect(DispatchTime.now() >= now)
  }

  @Test func wallNowIsTheWallClockNegated() {
    let before = AsyncAfterTests.wallNanoseconds()
    let now = DispatchWallTime.now()
    let after = AsyncAfterTests.wallNanoseconds()
    let nanoseconds = -Int64(bitPattern: now.rawValue)
    #expect(nanoseconds >= before && nanoseconds <= after)
    #expect(DispatchWallTime.now() >= now)
  }

  @Test func wallTimeOfATimespec() {
    let time = DispatchWallTime(timespec: timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789))
    #expect(Int64(bitPattern: time.rawValue) == -1_700_000_000_123_456_789)
    let later = DispatchWallTime(timespec: timespec(tv_sec: 1_700_000_001, tv_nsec: 0))
    #expect(time < later)
    #expect(
      time == DispatchWallTime(timespec: timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789)))
    #expect(time != later)
  }

  @Test func uptimeNanosecondsReadBack() {
    for nanoseconds: UInt64 in [1, 2, 1_000_000_007, 1 << 40, (1 << 62) - 1] {
      let time = DispatchTime(uptimeNanoseconds: nanoseconds)
      #expect(time.uptimeNanoseconds == nanoseconds)
      #expect(time.rawValue == nanoseconds)
    }
  }

  @Test func distantFutureIsLast() {
    #expect(DispatchTime.distantFuture.rawValue == ~0)
    #expect(DispatchWallTime.distantFuture.rawValue == ~0)
    #expect(DispatchTime.now() < .distantFuture)
    #expect(DispatchWallTime.now() < .distantFuture)
    #expect(!(DispatchTime.distantFuture < .now()))
    #expect(!(DispatchWallTime.distantFuture < .now()))
    #expect(!(DispatchTime.distantFuture < .distantFuture))
    #expect(DispatchTime.distantFuture == .distantFuture)
    #expect(DispatchWallTime.distantFuture == .distantFuture)
  }

  @Test func intervalsAreAddedAndSubtracted() {
    let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
    let wall = DispatchWallTime(timespec: timespec(tv_sec: 1_000_000, tv_nsec: 5))
    let wallNanoseconds: Int64 = 1_000_000_000_000_005
    for (interval, nanoseconds) in Self.intervals {
      #expect((time + interval).uptimeNanoseconds == 10_000_000_000 + nanoseconds)
      #expect((time - interval).uptimeNanoseconds == 10_000_000_000 - nanoseconds)
      #expect(
        Int64(bitPattern: (wall + interval).rawValue) == -(wallNanoseconds + Int64(nanoseconds)))
      #expect(
        Int64(bitPattern: (wall - interval).rawValue) == -(wallNanoseconds - Int64(nanoseconds)))
    }
  }

  @Test func negativeIntervalsReverseTheDirection() {
    let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
    #expect(time + .seconds(-3) == time - .seconds(3))
    #expect(time - .milliseconds(-3) == time + .milliseconds(3))
    let wall = DispatchWallTime(timespec: timespec(tv_sec: 1_000_000, tv_nsec: 0))
    #expect(wall + .microseconds(-3) == wall - .microseconds(3))
    #expect(wall - .nanoseconds(-3) == wall + .nanoseconds(3))
  }

  @Test func secondsAsADoubleAreAddedAndSubtracted() {
    let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
    #expect((time + 1.5).uptimeNanoseconds == 11_500_000_000)
    #expect((time - 1.5).uptimeNanoseconds == 8_500_000_000)
    #expect((time + -0.25).uptimeNanoseconds == 9_750_000_000)
    #expect(time + 0.0 == time)
    let wall = DispatchWallTime(timespec: timespec(tv_sec: 1_000_000, tv_nsec: 0))
    #expect(wall + 1.5 == wall + .milliseconds(1500))
    #expect(wall - 1.5 == wall - .milliseconds(1500))
  }

  @Test func additionSaturatesAtTheDistantFuture() {
    let now = DispatchTime.now()
    let wall = DispatchWallTime.now()
    let huge: [DispatchTimeInterval] = [
      .never, .seconds(.max), .milliseconds(.max), .microseconds(.max), .nanoseconds(.max),
    ]
    for interval in huge {
      #expect(now + interval == .distantFuture, "\(interval)")
      #expect(wall + interval == .distantFuture, "\(interval)")
      #expect(DispatchTime.distantFuture + interval == .distantFuture)
      #expect(DispatchWallTime.distantFuture + interval == .distantFuture)
    }
    for seconds in [Double.infinity, .nan, 1e30, .greatestFiniteMagnitude] {
      #expect(now + seconds == .distantFuture, "\(seconds)")
      #expect(wall + seconds == .distantFuture, "\(seconds)")
    }
  }

  @Test func distantFutureStaysUnchanged() {
    for (interval, _) in Self.intervals {
      #expect(DispatchTime.distantFuture + interval == .distantFuture)
      #expect(DispatchTime.distantFuture - interval == .distantFuture)
      #expect(DispatchWallTime.distantFuture + interval == .distantFuture)
      #expect(DispatchWallTime.distantFuture - interval == .distantFuture)
    }
    #expect(DispatchTime.distantFuture + 1.0 == .distantFuture)
    #expect(DispatchTime.distantFuture - 1.0 == .distantFuture)
    #expect(DispatchWallTime.distantFuture + 1.0 == .distantFuture)
    #expect(DispatchWallTime.distantFuture - 1.0 == .distantFuture)
  }

  @Test func subtractionSaturatesAtTheFirstMoment() {
    let now = DispatchTime.now()
    let first = DispatchTime(uptimeNanoseconds: 1)
    #expect(now - .never == first)
    #expect(now - .seconds(.max) == first)
    #expect(now - .nanoseconds(.max) == first)
    #expect(now + .seconds(.min) == first)
    #expect(now - Double.infinity == first)
    #expect(now + -Double.infinity == first)
    #expect(now - 1e30 == first)
    #expect(DispatchTime(uptimeNanoseconds: 5) - .nanoseconds(5) == first)
    #expect(DispatchTime(uptimeNanoseconds: 5) - .seconds(1) == first)
    // The earliest wall time is the value before the distant future.
    let wall = DispatchWallTime.now()
    #expect((wall - .seconds(.max)).rawValue == DispatchWallTime.distantFuture.rawValue - 1)
    #expect((wall - Double.infinity).rawValue == DispatchWallTime.distantFuture.rawValue - 1)
  }

  @Test func intervalsCompareByTheirLength() {
    #expect(DispatchTimeInterval.seconds(2) == .milliseconds(2000))
    #expect(DispatchTimeInterval.milliseconds(2) == .microseconds(2000))
    #expect(DispatchTimeInterval.microseconds(2) == .nanoseconds(2000))
    #expect(DispatchTimeInterval.seconds(1) != .milliseconds(999))
    #expect(DispatchTimeInterval.never == .never)
    #expect(DispatchTimeInterval.never != .seconds(.max - 1))
    #expect(DispatchTimeInterval.seconds(0) == .nanoseconds(0))
  }

  @Test func timesAreOrderedAsTheirMoments() {
    let moments = [1, 2, 1000, 1_000_000_000, 1 << 50].map {
      DispatchTime(uptimeNanoseconds: UInt64($0))
    }
    for (i, left) in moments.enumerated() {
      for (j, right) in moments.enumerated() {
        #expect((left < right) == (i < j))
        #expect((left == right) == (i == j))
        #expect((left <= right) == (i <= j))
        #expect((left > right) == (i > j))
      }
    }
    let walls = [0, 1, 2, 1_000_000].map {
      DispatchWallTime(timespec: timespec(tv_sec: 1_000_000 + $0, tv_nsec: 0))
    }
    for (i, left) in walls.enumerated() {
      for (j, right) in walls.enumerated() {
        #expect((left < right) == (i < j))
        #expect((left == right) == (i == j))
        #expect((left >= right) == (i >= j))
      }
    }
  }

  @Test func sumOfRandomIntervalsIsTheSumOfTheirLengths() {
    var generator = SeededGenerator.announced()
    let base: UInt64 = 1 << 50
    for _ in 0..<2000 {
      let count = Int.random(in: -1_000_000...1_000_000, using: &generator)
      let scale = Int.random(in: 0...3, using: &generator)
      let interval: DispatchTimeInterval
      let length: Int
      switch scale {
      case 0: (interval, length) = (.nanoseconds(count), count)
      case 1: (interval, length) = (.microseconds(count), count * 1000)
      case 2: (interval, length) = (.milliseconds(count / 10), count / 10 * 1_000_000)
      default: (interval, length) = (.seconds(count / 10_000), count / 10_000 * 1_000_000_000)
      }
      let time = DispatchTime(uptimeNanoseconds: base)
      #expect((time + interval).uptimeNanoseconds == UInt64(Int(base) + length))
      #expect((time - interval).uptimeNanoseconds == UInt64(Int(base) - length))
    }
  }
}
