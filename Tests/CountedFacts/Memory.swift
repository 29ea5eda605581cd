// What pending items cost, and whether queues give back all they took.

import Dispatch
import Glibc

let memoryScenarios: [String: Scenario] = [
  "cost-of-a-pending-item": {
    let count = integerArgument(0, default: 100_000)
    let queue = DispatchQueue(label: "org.signalbox.facts.pending")
    let ran = Tally()
    let group = DispatchGroup()
    queue.sync {}
    queue.suspend()
    let resident = bytesResident()
    let inUse = bytesInUse()
    for number in 0..<count {
      queue.async { if number >= 0 { ran.increment() } }
    }
    report("bytesInUse", Double(bytesInUse() - inUse) / Double(count))
    report("bytesResident", Double(bytesResident() - resident) / Double(count))
    report("ranWhileSuspended", ran.count)
    queue.async(group: group) {}
    queue.resume()
    group.wait()
    report("ran", ran.count)
  },
  "queues-are-freed": { leftovers(of: useQueues) },
  "groups-semaphores-and-items-are-freed": { leftovers(of: useOthers) },
]

/// Reports what the last of three rounds has left in use. The first ones bring
/// the pool's own memory to the size it keeps.
private func leftovers(of use: (_ count: Int, _ ran: Tally) -> Void) {
  let count = integerArgument(0, default: 100_000)
  let ran = Tally()
  for _ in 0..<2 {
    use(count, ran)
    settle(at: nil)
  }
  let before = bytesInUse()
  use(count, ran)
  let after = settle(at: before)
  report("ran", ran.count)
  report("bytesLeft", after - before)
}

/// Creates `count` queues, has each run an item of both kinds and drops it.
private func useQueues(_ count: Int, _ ran: Tally) {
  let group = DispatchGroup()
  for number in 0..<count {
    let queue = DispatchQueue(
      label: "org.signalbox.facts.used", attributes: number % 2 == 0 ? [] : .concurrent)
    queue.async(group: group) { ran.increment() }
    queue.sync { _ = ran.increment() }
  }
  group.wait()
}

/// Creates `count` groups, semaphores and work items, has an item use each and
/// drops them.
private func useOthers(_ count: Int, _ ran: Tally) {
  let queue = DispatchQueue(label: "org.signalbox.facts.used")
  for _ in 0..<count {
    let group = DispatchGroup()
    let semaphore = DispatchSemaphore(value: 0)
    let item = DispatchWorkItem { ran.increment() }
    item.notify(queue: queue) { semaphore.signal() }
    queue.async(group: group, execute: item)
    group.notify(queue: queue) { ran.increment() }
    semaphore.wait()
  }
  queue.sync {}
}

/// Waits until the memory in use is `expected` bytes or, where that is nil or
/// never comes, has not changed for a second; gives what is in use then. The
/// last item's end is seen before the worker that ran it has let its queue go.
@discardableResult
private func settle(at expected: Int?) -> Int {
  var last = bytesInUse()
  var since = milliseconds()
  while last != expected && milliseconds() - since < 1000 {
    usleep(1000)
    let now = bytesInUse()
    if now != last {
      last = now
      since = milliseconds()
    }
  }
  return last
}
