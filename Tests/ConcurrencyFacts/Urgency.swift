// Urgency: what the priority of a task means to the pool.

import ConcurrencyScenarios
import Glibc
import SignalboxDispatch

let urgencyScenarios: [String: AsyncScenario] = [
  "urgent-tasks-go-first": {
    // Of one worker, which computes meanwhile.
    let log = Log()
    let last = Gate()
    let left = Tally()
    await Task.detached {
      for priority in [TaskPriority.medium, .high] {
        for _ in 0..<50 {
          left.increment()
          Task.detached(priority: priority) {
            log.add(priority == .high ? "high" : "medium")
            if left.decrement() == 0 { last.open() }
          }
        }
      }
    }.value
    await last.pass()
    let places = log.all.enumerated().filter { $0.element == "high" }.map(\.offset)
    report("ran", log.all.count)
    report("worstPlaceOfAnUrgentOne", places.max() ?? -1)
  },

  "background-tasks-run-at-lower-kernel-priority": {
    func nice(_ priority: TaskPriority) async -> Int {
      await withCheckedContinuation { done in
        Task.detached(priority: priority) {
          done.resume(returning: Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)))
        }
      }
    }
    let background = await nice(.background)
    let medium = await nice(.medium)
    let policy: Int = await withCheckedContinuation { done in
      Task.detached(priority: .background) {
        done.resume(returning: Int(sched_getscheduler(0)))
      }
    }
    report("isLower", background > medium || policy != Int(SCHED_OTHER))
  },
]
