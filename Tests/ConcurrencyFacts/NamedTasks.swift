// NamedTasks — tasks with and without names that run, and tasks that wait behind them, for readers in
// other processes.

import CSystemCalls
import ConcurrencyScenarios
import Glibc
import SignalboxConcurrency
import SignalboxDispatch

let namedTaskScenarios: [String: AsyncScenario] = [
  "named-tasks-block": {
    let queue = DispatchQueue(label: "named.queue")
    let gate = DispatchSemaphore(value: 0)
    let begun = Tally()
    Task.detached(name: "decode", priority: .high) {
      report("decode", csc_task_number())
      begun.increment()
      block(gate)
    }
    Task.detached(name: "save \"all\"\n", executorPreference: queue) {
      report("save", csc_task_number())
      begun.increment()
      block(gate)
    }
    while begun.count < 2 { await Task.yield() }
    Task.detached(name: "load", executorPreference: queue, priority: .utility) {}
    Task.detached(executorPreference: queue, priority: .background) {}
    report("unnamed", csc_task_number())
    report("hangs", 1)
    block(gate)
  },

  "busy-tasks-keep-tasks-waiting": {
    let begun = Tally()
    let computes: @Sendable () -> Void = {
      begun.increment()
      while true { sched_yield() }
    }
    Task.detached(name: "busy") {
      report("busy", csc_task_number())
      computes()
    }
    while begun.count < 1 { await Task.yield() }
    for number in 1...4 { Task.detached(name: "behind \(number)") {} }
    report("hangs", 1)
    computes()
  },
]

/// Blocks, which no task should do and many do.
private func block(_ gate: DispatchSemaphore) { gate.wait() }
