// TimeStrideTests — distances between times.

import SignalboxDispatch
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct TimeStrideTests {
  @Test func advancedByIsAddition() {
    let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
    let wall = DispatchWallTime(timespec: timespec(tv_sec: 1_000_000, tv_nsec: 0))
    let intervals: [DispatchTimeInterval] = [
      .seconds(3), .milliseconds(-3), .microseconds(3), .nanoseconds(0), .never,
    ]
    for interval in intervals {
      #expect(time.advanced(by: interval) == time + interval)
      #expect(wall.advanced(by: interval) == wall + interval)
    }
  }

  @Test func distanceIsTheAmountToAdd() {
    let times = [1, 2, 5_000_000_000, 1 << 50].map {
      DispatchTime(uptimeNanoseconds: UInt64($0))
    }
    for from in times {
      for to in times {
        #expect(from.advanced(by: from.distance(to: to)) == to)
        let expected = Int(to.uptimeNanoseconds) - Int(from.uptimeNanoseconds)
        #expect(from.distance(to: to) == .nanoseconds(expected))
      }
    }
    let walls = [1_000_000, 1_000_001, 2_000_000].map {
      DispatchWallTime(timespec: timespec(tv_sec: $0, tv_nsec: 7))
    }
    for from in walls {
      for to in walls { #expect(from.advanced(by: from.distance(to: to)) == to) }
    }
    #expect(walls[0].distance(to: walls[1]) == .seconds(1))
    #expect(walls[1].distance(to: walls[0]) == .seconds(-1))
  }

  @Test func distantFutureIsNeverReached() {
    #expect(DispatchTime.now().distance(to: .distantFuture) == .never)
    #expect(DispatchWallTime.now().distance(to: .distantFuture) == .never)
  }
}
