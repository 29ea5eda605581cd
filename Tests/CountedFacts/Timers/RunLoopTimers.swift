// RunLoopTimers — what timers of run loops leave behind, and how often they wake their loop.

import FoundationEssentials
import Glibc
import SignalboxRunLoop

package enum RunLoopTimerScenario: String, CountedScenario {
  case runLoopTimersAreFreed = "run-loop-timers-are-freed"
  case systemCallsOfLoopTimers = "system-calls-of-loop-timers"
}

extension RunLoopTimerScenario: Scenario {
  func run() {
    switch self {
    case .runLoopTimersAreFreed:
      leftovers(of: useLoopTimers)
    case .systemCallsOfLoopTimers:
      SystemCallTrace.countOfMainThread {
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddTimer(loop, timer(in: 1e6), timerMode)
        CFRunLoopRunInMode(timerMode, 0, false)
        let fired = Tally()
        SystemCallTrace.counting {
          for number in 0..<100 {
            let timer = timer(in: Double(number % 10)) { fired.increment() }
            CFRunLoopAddTimer(loop, timer, timerMode)
            CFRunLoopTimerSetTolerance(timer, 1)
            CFRunLoopTimerSetNextFireDate(timer, 0)
            if number % 2 == 0 { CFRunLoopTimerInvalidate(timer) }
            CFRunLoopRunInMode(timerMode, 0, false)
          }
        }
        report("fired", fired.count)
      }
    }
  }
}

private let timerMode = CFRunLoopMode("org.signalbox.facts.timers")

private func timer(in seconds: Double, _ body: @escaping () -> Void = {}) -> CFRunLoopTimer {
  CFRunLoopTimerCreateWithHandler(
    kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + seconds, 0, 0, 0
  ) { _ in body() }
}

/// A third of the timers fires, a third is invalidated, a third leaves its loop.
private func useLoopTimers(count: Int, ran: Tally) {
  let loop = CFRunLoopGetCurrent()!
  var timers: [Timer] = []
  for number in 0..<count {
    let word = UInt64(number)
    let timer = Timer(
      fire: number % 3 == 0 ? .distantPast : .distantFuture, interval: 1, repeats: number % 3 == 1
    ) { _ in if word < .max { ran.increment() } }
    timer.tolerance = Double(number % 2)
    RunLoop.current.add(timer, forMode: RunLoop.Mode(number % 2 == 0 ? timerMode : .commonModes))
    timers.append(timer)
  }
  CFRunLoopRunInMode(timerMode, 0, false)
  CFRunLoopRunInMode(.defaultMode, 0, false)
  for (number, timer) in timers.enumerated() {
    if number % 3 == 1 { timer.invalidate() }
    for mode in [timerMode, .commonModes] where number % 3 == 2 {
      CFRunLoopRemoveTimer(loop, timer.getCFRunLoopTimer(), mode)
    }
  }
}
