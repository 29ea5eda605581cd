// Tasks — tasks with names and priorities, whose jobs run on our pool and on queues.

import CSystemCalls
import Glibc
import SignalboxConcurrency
import SignalboxDispatch

let taskScenarios: [String: Scenario] = [
  "named-tasks": { _ in
    do { try SignalboxExecutors.adopt() } catch { fail("not adopted: \(error)") }
    let queue = DispatchQueue(label: "tasks.preferred")
    Task.detached(name: "decode", priority: .high) {
      for _ in 0..<3 { await Task.yield() }
      report("decode", csc_task_number())
      await withTaskExecutorPreference(queue) { await Task.yield() }
      // What is kept of the name ends within a character.
      let long = "xy" + String(repeating: "é", count: 80)
      await Task.detached(name: long, priority: .background) {
        report("long", csc_task_number())
      }.value
      await Task.detached(priority: .utility) { report("unnamed", csc_task_number()) }.value
      await MainActor.run { report("onMain", csc_task_number()) }
      exit(0)
    }
    dispatchMain()
  }
]
