// PassedDeadlines — the cost of a wait whose deadline has passed: no system call.

import Glibc
import SignalboxDispatch
import SignalboxLocks

package enum PassedDeadlineScenario: String, CountedScenario {
  case systemCallsOfWaitsWhoseDeadlineHasPassed = "system-calls-of-waits-whose-deadline-has-passed"
}

extension PassedDeadlineScenario: Scenario {
  func run() {
    switch self {
    case .systemCallsOfWaitsWhoseDeadlineHasPassed:
      SystemCallTrace.countOfMainThread {
        let group = DispatchGroup()
        let semaphore = DispatchSemaphore(value: 0)
        let item = DispatchWorkItem {}
        let condition = NSCondition()
        let conditionLock = NSConditionLock(condition: 0)
        let timedOut = Tally()
        group.enter()
        let past = DispatchTime(uptimeNanoseconds: 1)
        let wallPast = DispatchWallTime(timespec: timespec(tv_sec: 1, tv_nsec: 0))
        let datePast = Date(timeIntervalSince1970: 1)
        let wait = {
          let outcomes = [
            group.wait(timeout: past), group.wait(timeout: .now()),
            group.wait(wallTimeout: wallPast), group.wait(wallTimeout: .now()),
            semaphore.wait(timeout: past), semaphore.wait(timeout: .now()),
            semaphore.wait(wallTimeout: wallPast), semaphore.wait(wallTimeout: .now()),
            item.wait(timeout: past), item.wait(timeout: .now()),
          ]
          for outcome in outcomes where outcome == .timedOut { timedOut.increment() }
          condition.withLock { if !condition.wait(until: datePast) { timedOut.increment() } }
          if !conditionLock.lock(whenCondition: 1, before: datePast) { timedOut.increment() }
        }
        wait()
        SystemCallTrace.counting { for _ in 0..<100 { wait() } }
        group.leave()
        report("timedOut", timedOut.count)
      }
    }
  }
}
