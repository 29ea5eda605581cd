// Timers — every schedule, on both clocks, one-shot and repeating.

import Dispatch

enum Timers {
  static func run() {
    let queue = DispatchQueue(label: "corpus.timers")
    let schedules: [(String, (any DispatchSourceTimer) -> Void, Int)] = [
      ("once", { $0.schedule(deadline: .now() + .milliseconds(2)) }, 1),
      ("once, with leeway", { $0.schedule(deadline: .now() + 0.002, leeway: .milliseconds(1)) }, 1),
      ("at once", { $0.schedule(deadline: .now()) }, 1),
      ("once, on the wall", { $0.schedule(wallDeadline: .now() + .milliseconds(2)) }, 1),
      (
        "again and again",
        { $0.schedule(deadline: .now(), repeating: .milliseconds(2), leeway: .nanoseconds(0)) }, 3
      ),
      ("again and again, in seconds", { $0.schedule(deadline: .now(), repeating: 0.002) }, 3),
      (
        "again and again, on the wall",
        { $0.schedule(wallDeadline: .now(), repeating: .milliseconds(2)) }, 3
      ),
      (
        "again and again, on the wall, in seconds",
        { $0.schedule(wallDeadline: .now(), repeating: 0.002, leeway: .microseconds(10)) }, 3
      ),
      ("infinitely far apart", { $0.schedule(deadline: .now(), repeating: .infinity) }, 1),
      ("never again", { $0.schedule(deadline: .now(), repeating: .never) }, 1),
    ]
    for (name, schedule, fires) in schedules {
      let timer = DispatchSource.makeTimerSource(flags: [.strict], queue: queue)
      fire(name, timer, fires, schedule)
    }
    let plain: any DispatchSourceTimer = DispatchSource.makeTimerSource()
    fire("on a queue of its own", plain, 1) { $0.schedule(deadline: .now()) }
    byClass(queue)
    rescheduled(queue)
  }

  /// Counts `fires` fires, cancels the timer, and waits for its cancel handler.
  static func fire(
    _ name: String, _ timer: any DispatchSourceTimer, _ fires: Int,
    _ schedule: (any DispatchSourceTimer) -> Void
  ) {
    let fired = DispatchSemaphore(value: 0)
    let cancelled = DispatchSemaphore(value: 0)
    timer.setEventHandler { if timer.data > 0 { fired.signal() } }
    timer.setCancelHandler { cancelled.signal() }
    schedule(timer)
    timer.activate()
    for _ in 0..<fires { fired.wait() }
    timer.cancel()
    cancelled.wait()
    // A handler that refers to its own timer retains it.
    timer.setEventHandler(handler: nil)
    print(name, fires, timer.isCancelled)
  }

  /// The class itself has every schedule too, including those from before Swift 4.
  static func byClass(_ queue: DispatchQueue) {
    let schedules: [(DispatchSource) -> Void] = [
      { $0.schedule(deadline: .now(), repeating: .never, leeway: .nanoseconds(1)) },
      { $0.schedule(deadline: .now(), repeating: 1000) },
      { $0.schedule(wallDeadline: .now(), repeating: .never) },
      { $0.schedule(wallDeadline: .now(), repeating: 1000) },
      { $0.scheduleOneshot(deadline: .now()) },
      { $0.scheduleOneshot(wallDeadline: .now()) },
      { $0.scheduleRepeating(deadline: .now(), interval: .seconds(1000)) },
      { $0.scheduleRepeating(deadline: .now(), interval: 1000.0) },
      { $0.scheduleRepeating(wallDeadline: .now(), interval: .seconds(1000)) },
      { $0.scheduleRepeating(wallDeadline: .now(), interval: 1000.0) },
    ]
    for (index, schedule) in schedules.enumerated() {
      let source = DispatchSource.makeTimerSource(queue: queue)
      guard let timer = source as? DispatchSource else { return }
      let fired = DispatchSemaphore(value: 0)
      timer.setEventHandler { fired.signal() }
      schedule(timer)
      timer.activate()
      fired.wait()
      timer.cancel()
      print("schedule", index)
    }
  }

  /// The timer's own handler sets its next time.
  static func rescheduled(_ queue: DispatchQueue) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let done = DispatchSemaphore(value: 0)
    let lines = Lines()
    var left = 3
    let handler = DispatchWorkItem {
      lines.add("\(left) left")
      left -= 1
      if left == 0 { done.signal() } else { timer.schedule(deadline: .now() + .milliseconds(1)) }
    }
    timer.setEventHandler(handler: handler)
    timer.schedule(deadline: .now())
    timer.activate()
    done.wait()
    timer.cancel()
    lines.show()
  }
}
