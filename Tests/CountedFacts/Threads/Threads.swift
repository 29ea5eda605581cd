// Threads — how many threads a process has before and after its first item.

import SignalboxDispatch

let threadScenarios: [String: Scenario] = [
  "threads-after-the-first-async-on-a-global-queue": {
    countThreads { DispatchQueue.global() }
  },
  "threads-after-the-first-async-on-a-serial-queue": {
    countThreads { DispatchQueue(label: "org.signalbox.facts.first") }
  },
  "threads-after-the-first-async-on-a-concurrent-queue": {
    countThreads { DispatchQueue(label: "org.signalbox.facts.first", attributes: .concurrent) }
  },
  "threads-after-the-first-async-after": {
    let done = DispatchSemaphore(value: 0)
    report("atStart", threadNumbers().count)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { done.signal() }
    done.wait()
    report("most", mostThreads())
  },
]

private func countThreads(on makeQueue: () -> DispatchQueue) {
  report("atStart", threadNumbers().count)
  let queue = makeQueue()
  let group = DispatchGroup()
  let done = DispatchSemaphore(value: 0)
  report("beforeFirstItem", threadNumbers().count)
  queue.async(group: group) {
    report("duringFirstItem", threadNumbers().count)
    done.signal()
  }
  done.wait()
  group.wait()
  report("most", mostThreads())
}

/// Returns the largest number of threads in the next second. It includes a thread that a worker
/// or a manager starts late.
private func mostThreads() -> Int {
  let end = milliseconds() + 1000
  var most = 0
  repeat { most = max(most, threadNumbers().count) } while milliseconds() < end
  return most
}
