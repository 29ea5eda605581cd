// Urgency — what the priority of a task means to the pool.

import ConcurrencyScenarios
import Glibc
import SignalboxDispatch

let urgencyScenarios: [String: AsyncScenario] = [
  "urgent-tasks-go-first": {
    // There is one worker. Tasks that are submitted last and are more urgent need not wait for
    // the others. The submitter has the same urgency, because the pool adds a worker for work
    // that is more urgent than everything that runs.
    let count = 50
    await Task.detached(priority: .high) {
      report(
        "tasks",
        await medianPlaceOfTheUrgentOnes(of: count) { isUrgent, body in
          Task.detached(priority: isUrgent ? .high : .medium) { body() }
        })
      report(
        "items",
        await medianPlaceOfTheUrgentOnes(of: count) { isUrgent, body in
          DispatchQueue.global(qos: isUrgent ? .userInitiated : .default).async(execute: body)
        })
    }.value
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

/// Submits `count` usual tasks and then as many urgent ones, each of which computes for a
/// millisecond. Returns the place at which half of the urgent ones had run; the machine may
/// have delayed a single one.
private func medianPlaceOfTheUrgentOnes(
  of count: Int, submit: @Sendable (_ isUrgent: Bool, @escaping @Sendable () -> Void) -> Void
) async -> Int {
  let log = Log()
  let last = Gate()
  for isUrgent in [false, true] {
    for _ in 0..<count {
      submit(isUrgent) {
        let end = nanoseconds() + 1_000_000
        while nanoseconds() < end {}
        log.add(isUrgent)
        if log.all.count == 2 * count { last.open() }
      }
    }
  }
  await last.pass()
  let places = log.all.indices.filter { log.all[$0] == "true" }
  return places[places.count / 2]
}
