// Deadlocks — deadlocks that need the process's first thread, and how soon one is reported.
// Each scenario ends in a trap.

import Glibc
import SignalboxDispatch

package enum DeadlockScenario: String, CountedScenario {
  case deadlockMainQueueAndAnother = "deadlock-main-queue-and-another"
  case deadlockMainQueueDrainedByAHost = "deadlock-main-queue-drained-by-a-host"
  case deadlockQueueThatTargetsMain = "deadlock-queue-that-targets-main"
  case deadlockGroupOnTheMainQueue = "deadlock-group-on-the-main-queue"
  case deadlockTime = "deadlock-time"
}

extension DeadlockScenario: Scenario {
  func run() {
    switch self {
    case .deadlockMainQueueAndAnother:
      closeOverMain()
      dispatchMain()
    case .deadlockMainQueueDrainedByAHost:
      closeOverMain()
      while true {
        var descriptor = pollfd(
          fd: DispatchMainQueueHost.fileDescriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, -1)
        DispatchMainQueueHost.drain()
      }
    case .deadlockQueueThatTargetsMain:
      let queue = DispatchQueue(label: "dead.queue")
      let upper = DispatchQueue(label: "dead.upper", target: .main)
      let held = DispatchSemaphore(value: 0)
      queue.async {
        held.wait()
        upper.sync {}
      }
      DispatchQueue.main.async {
        held.signal()
        queue.sync {}
      }
      dispatchMain()
    case .deadlockGroupOnTheMainQueue:
      let group = DispatchGroup()
      DispatchQueue.main.async(group: group) {}
      group.wait()
    case .deadlockTime:
      // SIGALRM ends the scenario if nothing traps.
      signal(SIGABRT) { _ in report("aborted", Int(uptimeInNanoseconds())) }
      let a = DispatchQueue(label: "dead.a")
      let b = DispatchQueue(label: "dead.b")
      let held = DispatchSemaphore(value: 0)
      b.sync {
        a.async {
          held.signal()
          b.sync {}
        }
        held.wait()
        report("closed", Int(uptimeInNanoseconds()))
        a.sync {}
      }
    }
  }
}

/// The main queue's item waits for the queue, whose item waits for the main queue.
private func closeOverMain() {
  let queue = DispatchQueue(label: "dead.queue")
  let held = DispatchSemaphore(value: 0)
  queue.async {
    held.wait()
    DispatchQueue.main.sync {}
  }
  DispatchQueue.main.async {
    held.signal()
    queue.sync {}
  }
}

private func uptimeInNanoseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
