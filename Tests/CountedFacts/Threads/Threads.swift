// Threads — how many threads a process has before and after its first item.

import SignalboxDispatch

package enum ThreadScenario: String, CountedScenario {
  case threadsAfterTheFirstAsyncOnAGlobalQueue = "threads-after-the-first-async-on-a-global-queue"
  case threadsAfterTheFirstAsyncOnASerialQueue = "threads-after-the-first-async-on-a-serial-queue"
  case threadsAfterTheFirstAsyncOnAConcurrentQueue =
    "threads-after-the-first-async-on-a-concurrent-queue"
  case threadsAfterTheFirstAsyncAfter = "threads-after-the-first-async-after"
}

extension ThreadScenario: Scenario {
  func run() {
    switch self {
    case .threadsAfterTheFirstAsyncOnAGlobalQueue:
      countThreads { DispatchQueue.global() }
    case .threadsAfterTheFirstAsyncOnASerialQueue:
      countThreads { DispatchQueue(label: "org.signalbox.facts.first") }
    case .threadsAfterTheFirstAsyncOnAConcurrentQueue:
      countThreads { DispatchQueue(label: "org.signalbox.facts.first", attributes: .concurrent) }
    case .threadsAfterTheFirstAsyncAfter:
      let done = DispatchSemaphore(value: 0)
      report("atStart", threadNumbers().count)
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { done.signal() }
      done.wait()
      report("most", mostThreads())
    }
  }
}

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
