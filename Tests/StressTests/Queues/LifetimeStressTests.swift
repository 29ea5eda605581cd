// LifetimeStressTests — queues that are made, used and released.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let lifetimeSubjects = [
  Subject("a queue that is dropped runs all it was given and frees it", dropQueues),
  Subject("a queue whose last reference goes within its own item is freed", dropWithin),
  Subject("groups, semaphores and items leave nothing behind", dropOthers),
]

@Suite struct LifetimeStressTests {
  @Test(arguments: lifetimeSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Weak references, to see that the queues are freed.
private final class Departures: Sendable {
  private struct Reference: Sendable {
    weak var queue: DispatchQueue?
  }
  private let references = Guarded<[Reference]>([])

  func expect(_ queue: DispatchQueue) {
    references.withValue { $0.append(Reference(queue: queue)) }
  }

  /// Waits until all queues are freed. A worker releases a queue some time after its last item.
  func waitForAll() throws {
    let end = Uptime.now() + RealTime.wedge
    while true {
      let left = references.current.count { $0.queue != nil }
      if left == 0 { return }
      if Uptime.now() > end { throw Wedge.found("\(left) queues are not freed") }
      sched_yield()
    }
  }
}

private func makeQueue(
  _ random: inout SeededGenerator, target: DispatchQueue? = nil
) -> DispatchQueue {
  DispatchQueue(
    label: "org.signalbox.stress.dropped",
    attributes: Bool.random(using: &random) ? .concurrent : [], target: target)
}

private func dropQueues(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 1...4, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let tracker = LeakTracker()
  let departures = Departures()
  let group = DispatchGroup()
  let ran = Counter()
  let submitted = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<80 {
      // Sometimes the target is a queue that nothing else holds.
      let target = Bool.random(using: &random) ? makeQueue(&random) : nil
      let queue = makeQueue(&random, target: target)
      departures.expect(queue)
      if let target { departures.expect(target) }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let object = tracker.makeObject()
        submitted.increment()
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          queue.sync { _ = ran.increment() }
        case 1:
          queue.async(group: group, flags: .barrier) {
            object.touch()
            ran.increment()
          }
        case 2:
          group.enter()
          let delay = DispatchTimeInterval.microseconds(Int.random(in: 0...2000, using: &random))
          queue.asyncAfter(deadline: .now() + delay) {
            object.touch()
            ran.increment()
            group.leave()
          }
        case 3:
          group.enter()
          let inner = DispatchGroup()
          DispatchQueue.global().async(group: inner) {}
          inner.notify(queue: queue) {
            object.touch()
            ran.increment()
            group.leave()
          }
        default:
          queue.async(group: group) {
            object.touch()
            ran.increment()
          }
        }
      }
    }
  }
  group.wait()
  try agree(ran.value, submitted.value, "items run")
  try tracker.waitUntilAllAreFreed()
  try departures.waitForAll()
}

private func dropWithin(_ random: inout SeededGenerator) throws {
  let tracker = LeakTracker()
  let departures = Departures()
  let group = DispatchGroup()
  let ran = Counter()
  let rounds = 100
  for _ in 0..<rounds {
    let holder = Unguarded<DispatchQueue?>(makeQueue(&random))
    departures.expect(holder.value!)
    let object = tracker.makeObject()
    group.enter()
    let queue = holder.value!
    queue.async {
      object.touch()
      ran.increment()
      holder.value = nil
      group.leave()
    }
  }
  group.wait()
  try agree(ran.value, rounds, "items run")
  try tracker.waitUntilAllAreFreed()
  try departures.waitForAll()
}

private func dropOthers(_ random: inout SeededGenerator) throws {
  let tracker = LeakTracker()
  let queue = DispatchQueue(label: "org.signalbox.stress.others")
  let notices = EventCounter("notices")
  let rounds = 100
  for _ in 0..<rounds {
    let object = tracker.makeObject()
    let group = DispatchGroup()
    let item = DispatchWorkItem { object.touch() }
    item.notify(queue: queue) {
      object.touch()
      notices.increment()
    }
    queue.async(group: group, execute: item)
    group.notify(queue: queue) {
      object.touch()
      notices.increment()
    }
    let semaphore = DispatchSemaphore(value: 0)
    queue.async {
      object.touch()
      semaphore.signal()
    }
    if Bool.random(using: &random) { semaphore.wait() }
  }
  try notices.wait(for: 2 * rounds)
  queue.sync {}
  try tracker.waitUntilAllAreFreed()
}
