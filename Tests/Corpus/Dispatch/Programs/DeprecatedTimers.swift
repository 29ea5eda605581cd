// DeprecatedTimers — the schedules of before Swift 4, through the protocol and by default.

import Dispatch

enum DeprecatedTimers {
  static func run() {
    let queue = DispatchQueue(label: "corpus.old-timers")
    let now = DispatchTime.now()
    let wall = DispatchWallTime.now()
    let far = DispatchTimeInterval.seconds(1000)
    let leeway = DispatchTimeInterval.milliseconds(1)
    let schedules: [(String, (any DispatchSourceTimer) -> Void)] = [
      ("once", { $0.scheduleOneshot(deadline: now) }),
      ("once, with leeway", { $0.scheduleOneshot(deadline: now, leeway: leeway) }),
      ("once, on the wall", { $0.scheduleOneshot(wallDeadline: wall) }),
      ("the same with leeway", { $0.scheduleOneshot(wallDeadline: wall, leeway: leeway) }),
      ("again", { $0.scheduleRepeating(deadline: now, interval: far) }),
      (
        "again, with leeway",
        { $0.scheduleRepeating(deadline: now, interval: far, leeway: leeway) }
      ),
      ("again, in seconds", { $0.scheduleRepeating(deadline: now, interval: 1000.0) }),
      (
        "the same with leeway",
        { $0.scheduleRepeating(deadline: now, interval: 1000.0, leeway: leeway) }
      ),
      ("again, on the wall", { $0.scheduleRepeating(wallDeadline: wall, interval: far) }),
      (
        "the same with leeway",
        { $0.scheduleRepeating(wallDeadline: wall, interval: far, leeway: leeway) }
      ),
      ("in seconds", { $0.scheduleRepeating(wallDeadline: wall, interval: 1000.0) }),
      (
        "the same with leeway",
        { $0.scheduleRepeating(wallDeadline: wall, interval: 1000.0, leeway: leeway) }
      ),
    ]
    for (name, schedule) in schedules {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      Timers.fire(name, timer, 1, schedule)
    }
  }
}
