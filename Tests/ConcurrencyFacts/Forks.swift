// Forks — a process that forks while its tasks run.

import CSystemCalls
import ConcurrencyScenarios
import Glibc
import SignalboxDispatch

let forkScenarios: [String: AsyncScenario] = [
  "children-with-tasks-of-their-own": {
    // The Swift runtime has created what it creates once. Otherwise a lock of the runtime that
    // another thread holds at the fork would be held forever in the child.
    useTasks()
    let stop = Tally(), begun = Tally()
    let forked = Tally(), ended = Tally(), done = Gate()
    // A child's background tasks have the lowest priority, and take long beside other programs. Then
    // there are fewer children.
    let end = DispatchTime.now() + .seconds(20)
    startThread {
      while begun.count == 0 { usleep(100) }
      for number in 0..<20 where number < 3 || DispatchTime.now() < end {
        forked.increment()
        if forkAndUseTasks() { ended.increment() }
      }
      stop.increment()
      done.open()
    }
    let load = (0..<8).map { number in
      Task.detached(priority: number.isMultiple(of: 2) ? .medium : .background) {
        begun.increment()
        while stop.count == 0 { if number > 3 { await Task.yield() } }
      }
    }
    await done.pass()
    for task in load { await task.value }
    report("failed", forked.count - ended.count)
    await MainActor.run { report("parent", true) }
  },

  "children-that-exec-or-exit": {
    let stop = Tally()
    let load = (0..<8).map { _ in
      Task.detached {
        while stop.count == 0 { await Task.yield() }
      }
    }
    var ended = 0
    for number in 0..<20 {
      if number.isMultiple(of: 2) { await Task.yield() }
      if forkAndEnd(byExec: number.isMultiple(of: 2)) { ended += 1 }
    }
    stop.increment()
    for task in load { await task.value }
    report("children", ended)
    // The parent continues.
    try await Task.sleep(for: .milliseconds(5))
    await MainActor.run { report("parent", true) }
  },
]

/// Whether the child ended as it should.
private func forkAndEnd(byExec: Bool) -> Bool {
  var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
  defer { free(words[0]) }
  let child = csc_fork()
  if child == 0 {
    if byExec { execv("/bin/true", &words) }
    _exit(0)
  }
  return child > 0 && csc_wait(child) == 0
}

/// Runs tasks of each class, and waits for them on this thread.
private func useTasks() {
  let ran = DispatchSemaphore(value: 0)
  for priority in [TaskPriority.medium, .background] {
    for _ in 0..<3 { Task.detached(priority: priority) { ran.signal() } }
  }
  for _ in 0..<6 { ran.wait() }
}

/// Whether the child could run tasks of each class.
private func forkAndUseTasks() -> Bool {
  let child = csc_fork()
  if child == 0 {
    useTasks()
    _exit(0)
  }
  return child > 0 && csc_wait(child) == 0
}
