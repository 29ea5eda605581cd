// BlockedItems — items that block on the library's own semaphore. All of them must run at the
// same time, however few processors there are.

import SignalboxDispatch

package enum BlockedItemScenario: String, CountedScenario {
  case blockedItemsOnAGlobalQueue = "blocked-items-on-a-global-queue"
  case blockedItemsOnAConcurrentQueue = "blocked-items-on-a-concurrent-queue"
  case blockedSerialQueues = "blocked-serial-queues"
}

extension BlockedItemScenario: Scenario {
  func run() {
    switch self {
    case .blockedItemsOnAGlobalQueue:
      block(on: { _ in DispatchQueue.global() }, count: integerArgument(0, default: 64))
    case .blockedItemsOnAConcurrentQueue:
      let queue = DispatchQueue(label: "org.signalbox.facts.blocked", attributes: .concurrent)
      block(on: { _ in queue }, count: integerArgument(0, default: 64))
    case .blockedSerialQueues:
      block(
        on: { DispatchQueue(label: "org.signalbox.facts.blocked.\($0)") },
        count: integerArgument(0, default: 300))
    }
  }
}

/// Submits `count` items, each to its own queue. Each item announces that it runs and then
/// waits at a gate. The gate opens once all items run.
private func block(on queue: (Int) -> DispatchQueue, count: Int) {
  let gate = DispatchSemaphore(value: 0)
  let allRun = DispatchSemaphore(value: 0)
  let running = Tally()
  let finished = Tally()
  let group = DispatchGroup()
  let queues = (0..<count).map(queue)
  let start = milliseconds()
  for queue in queues {
    queue.async(group: group) {
      if running.increment() == count { allRun.signal() }
      gate.wait()
      finished.increment()
    }
  }
  _ = allRun.wait(timeout: .now() + .seconds(Int(scenarioLimitInSeconds) / 6))
  report("milliseconds", milliseconds() - start)
  report("running", running.count)
  report("threads", threadNumbers().count)
  for _ in 0..<count { gate.signal() }
  group.wait()
  report("finished", finished.count)
}
