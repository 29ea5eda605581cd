// Memory — the memory of pending items, and whether queues return everything they took.

import Glibc
import SignalboxDispatch
import SignalboxRuntime

package enum QueueMemoryScenario: String, CountedScenario {
  case costOfAPendingItem = "cost-of-a-pending-item"
  case queuesAreFreed = "queues-are-freed"
  case groupsSemaphoresAndItemsAreFreed = "groups-semaphores-and-items-are-freed"
}

extension QueueMemoryScenario: Scenario {
  func run() {
    switch self {
    case .costOfAPendingItem:
      let count = integerArgument(0, default: 100_000)
      let queue = DispatchQueue(label: "org.signalbox.facts.pending")
      let group = DispatchGroup()
      queue.sync {}
      queue.suspend()
      let resident = bytesResident()
      let inUse = bytesInUse()
      for number in 0..<count {
        // The closure captures one word. A single reference would cost nothing, because the
        // object itself would serve as the closure's context.
        queue.async { if number >= 0 { ranPending.increment() } }
      }
      report("bytesInUse", Double(bytesInUse() - inUse) / Double(count))
      report("bytesResident", Double(bytesResident() - resident) / Double(count))
      report("ranWhileSuspended", ranPending.count)
      queue.async(group: group) {}
      queue.resume()
      group.wait()
      report("ran", ranPending.count)
    case .queuesAreFreed:
      leftovers(of: useQueues)
    case .groupsSemaphoresAndItemsAreFreed:
      leftovers(of: useOthers)
    }
  }
}

private let ranPending = Tally()

/// Uses objects in rounds and reports how much more memory is in use afterwards: in the round
/// that left the least, and in all measured rounds. Threads keep some memory for the next item,
/// and a later round uses what an earlier one freed there, so only a leak makes every round
/// leave much. The machine's load decides how many threads there are and which of them frees.
func leftovers(of use: (_ count: Int, _ ran: Tally) -> Void) {
  let count = integerArgument(0, default: 10_000)
  let ran = Tally()
  // The first rounds bring the pool's own memory to its final size.
  let warmUps = 4
  let rounds = 6
  var level = 0
  var least = Int.max
  var all = 0
  for round in 0..<warmUps + rounds {
    use(count, ran)
    let now = settle(at: level)
    if round >= warmUps {
      least = min(least, now - level)
      all += now - level
    }
    level = now
  }
  report("rounds", warmUps + rounds)
  report("ran", ran.count)
  report("leftByTheBestRound", least)
  report("leftByAllRounds", all)
  report("threadsMayKeep", threadNumbers().count * NodeCache.items.mostKept)
}

/// Calls `body` with the numbers below `count`, a hundred at a time. A body that waits for workers
/// does so once for each hundred objects: beside other programs, every change of thread takes long.
func inBatches(of count: Int, _ body: (Range<Int>) -> Void) {
  for first in stride(from: 0, to: count, by: 100) { body(first..<min(first + 100, count)) }
}

/// Creates `count` queues, runs an item of both kinds on each, and releases it.
private func useQueues(_ count: Int, _ ran: Tally) {
  let group = DispatchGroup()
  inBatches(of: count) { numbers in
    let queues = numbers.map { number in
      let queue = DispatchQueue(
        label: "org.signalbox.facts.used", attributes: number % 2 == 0 ? [] : .concurrent)
      queue.async(group: group) { ran.increment() }
      return queue
    }
    for queue in queues { queue.sync { _ = ran.increment() } }
  }
  group.wait()
}

/// Creates `count` groups, semaphores and work items, uses each in an item, and releases them.
private func useOthers(_ count: Int, _ ran: Tally) {
  let queue = DispatchQueue(label: "org.signalbox.facts.used")
  inBatches(of: count) { numbers in
    let semaphores = numbers.map { _ in
      let group = DispatchGroup()
      let semaphore = DispatchSemaphore(value: 0)
      let item = DispatchWorkItem { ran.increment() }
      item.notify(queue: queue) { semaphore.signal() }
      queue.async(group: group, execute: item)
      group.notify(queue: queue) { ran.increment() }
      return semaphore
    }
    for semaphore in semaphores { semaphore.wait() }
  }
  queue.sync {}
}

/// Waits until the memory in use is `expected` bytes or has not changed for a while, and
/// returns it. The last item's end is visible before the worker that ran it has released its
/// queue.
private func settle(at expected: Int) -> Int {
  var last = bytesInUse()
  var since = milliseconds()
  while last != expected && milliseconds() - since < 300 {
    usleep(1000)
    let now = bytesInUse()
    if now != last {
      last = now
      since = milliseconds()
    }
  }
  return last
}
