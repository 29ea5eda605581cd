// Times — arithmetic, comparison and encoding of the two clocks' times.

import Dispatch
import Glibc

enum Times {
  static func run() {
    let start = DispatchTime(uptimeNanoseconds: 1_000_000_000_000)
    let intervals: [DispatchTimeInterval] = [
      .seconds(2), .milliseconds(3), .microseconds(4), .nanoseconds(5), .never, .seconds(-2),
      .nanoseconds(.max), .seconds(.max), .nanoseconds(-7),
    ]
    for interval in intervals {
      print(interval, show(start + interval), show(start - interval))
    }
    for seconds in [1.0, 0.25, -3, 1e-9, .infinity, -.infinity, .nan, 1e30] {
      print(seconds, show(start + seconds), show(start - seconds))
    }
    print(start.rawValue, start.uptimeNanoseconds)
    let never = DispatchTime.distantFuture
    print(show(never), show(never + .seconds(1)), show(never - 1))

    let wall = DispatchWallTime(timespec: timespec(tv_sec: 1_700_000_000, tv_nsec: 5))
    for interval in intervals {
      print(interval, show(wall + interval), show(wall - interval))
    }
    for seconds in [1.0, 0.25, -3, 1e-9, .infinity, -.infinity, .nan, 1e30] {
      print(seconds, show(wall + seconds), show(wall - seconds))
    }
    let wallNever = DispatchWallTime.distantFuture
    print(wall.rawValue, show(wallNever), show(wallNever + 1))

    let later = start + .seconds(1)
    print(start < later, start <= later, start > later, start >= later)
    print(start == later, start != later)
    print(start < .distantFuture, DispatchTime.now() <= DispatchTime.now())
    let wallLater = wall + .seconds(1)
    print(
      wall < wallLater, wall <= wallLater, wall > wallLater, wall >= wallLater, wall == wallLater,
      wall != wallLater)
    print(wall < .distantFuture, DispatchWallTime.now() < .distantFuture)

    print((start...later).contains(start), (start..<later).contains(later))
    print((start...).contains(later), (...start).contains(later), (..<later).contains(start))
    print((wall...wallLater).contains(wall), (wall..<wallLater).contains(wallLater))
    print((wall...).contains(wallLater), (...wall).contains(wallLater))
    print((..<wallLater).contains(wall))

    print(DispatchTimeInterval.seconds(1) == .milliseconds(1000))
    print(DispatchTimeInterval.seconds(1) != .microseconds(1), DispatchTimeInterval.never == .never)
    print(max(start, later) == later, [later, start].sorted().first == start)
  }

  static func show(_ time: DispatchTime) -> String {
    time == .distantFuture ? "never" : String(time.rawValue)
  }

  static func show(_ time: DispatchWallTime) -> String {
    time == .distantFuture ? "never" : String(time.rawValue)
  }
}
