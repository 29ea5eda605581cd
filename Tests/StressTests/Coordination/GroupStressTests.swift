// GroupStressTests — groups that threads enter, leave, wait for and notify at once, and reuse.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let groupSubjects = [
  Subject("every notice comes once, and not before the group is empty", notices),
  Subject("a wait that races the last leave succeeds only when all have left", timedWaits),
  Subject("waiters and notices of a group that is used again all get through", reuse),
  Subject("items that submit within their group are waited for", nested),
  Subject("members of several groups in a row on one queue leave their own", mixed),
]

@Suite struct GroupStressTests {
  @Test(arguments: groupSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func someQueues() -> [DispatchQueue] {
  [
    DispatchQueue(label: "org.signalbox.stress.serial"),
    DispatchQueue(label: "org.signalbox.stress.concurrent", attributes: .concurrent),
    DispatchQueue.global(),
  ]
}

private func notices(_ random: inout SeededGenerator) throws {
  let queues = someQueues()
  let group = DispatchGroup()
  let early = Counter()
  let came = EventCounter("notices")
  var expected = 0
  for _ in 0..<150 {
    let members = Int.random(in: 0...12, using: &random)
    let outstanding = Counter()
    for _ in 0..<members { outstanding.increment() }
    for _ in 0..<members {
      let queue = queues.randomElement(using: &random)!
      let steps = Int.random(in: 0...60, using: &random)
      if Bool.random(using: &random) {
        queue.async(group: group) {
          dawdle(steps)
          outstanding.decrement()
        }
      } else {
        group.enter()
        queue.async {
          dawdle(steps)
          outstanding.decrement()
          group.leave()
        }
      }
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      expected += 1
      let queue = queues.randomElement(using: &random)!
      let body: @Sendable () -> Void = {
        if outstanding.value != 0 { early.increment() }
        came.increment()
      }
      if Bool.random(using: &random) {
        group.notify(queue: queue, execute: body)
      } else {
        group.notify(queue: queue, work: DispatchWorkItem(block: body))
      }
    }
    // Sometimes the next round begins while this one is still running.
    if Bool.random(using: &random) { group.wait() }
  }
  try came.wait(for: expected)
  try agree(early.value, 0, "notices before the group was empty")
  group.wait()
  for queue in queues { queue.sync(flags: .barrier) {} }
  try agree(came.value, expected, "notices")
}

private func timedWaits(_ random: inout SeededGenerator) throws {
  let queues = someQueues()
  let early = Counter()
  let succeeded = Counter()
  let rounds = 40
  let waiters = 2
  for _ in 0..<rounds {
    let group = DispatchGroup()
    let outstanding = Counter()
    let members = Int.random(in: 1...6, using: &random)
    for _ in 0..<members {
      outstanding.increment()
      group.enter()
    }
    for _ in 0..<members {
      let steps = Int.random(in: 0...3000, using: &random)
      queues.randomElement(using: &random)!.async {
        dawdle(steps)
        outstanding.decrement()
        group.leave()
      }
    }
    let generators = (0..<waiters).map { _ in random.split() }
    try runThreads(waiters) { waiter in
      var random = generators[waiter]
      var result = DispatchTimeoutResult.timedOut
      while result == .timedOut {
        let limit = DispatchTimeInterval.microseconds(Int.random(in: 0...80, using: &random))
        result =
          Bool.random(using: &random)
          ? group.wait(timeout: .now() + limit) : group.wait(wallTimeout: .now() + limit)
      }
      if outstanding.value != 0 { early.increment() }
      succeeded.increment()
    }
  }
  try agree(succeeded.value, rounds * waiters, "waits that succeeded")
  try agree(early.value, 0, "waits that succeeded before all had left")
}

private func reuse(_ random: inout SeededGenerator) throws {
  let queues = someQueues()
  let group = DispatchGroup()
  let threads = Int.random(in: 2...5, using: &random)
  let rounds = Int.random(in: 200...600, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let ran = Counter()
  let came = EventCounter("notices")
  let asked = Counter()
  let submitted = Counter()
  let generation = Unguarded(0)
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<rounds {
      let queue = queues.randomElement(using: &random)!
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        group.wait()
      case 1:
        _ = group.wait(timeout: .now() + .microseconds(Int.random(in: 0...50, using: &random)))
      case 2:
        asked.increment()
        group.notify(queue: queue) { came.increment() }
      case 3:
        group.enter()
        submitted.increment()
        queue.async {
          ran.increment()
          group.leave()
        }
      default:
        submitted.increment()
        queue.async(group: group) { ran.increment() }
      }
    }
  }
  group.wait()
  try agree(ran.value, submitted.value, "items run")
  try came.wait(for: asked.value)
  // The members write what the last wait saw, in no order of their own.
  queues[0].async(group: group) { generation.increment() }
  group.wait()
  try agree(generation.value, 1, "what a member wrote")
}

private func nested(_ random: inout SeededGenerator) throws {
  let queues = someQueues()
  let group = DispatchGroup()
  let ran = Counter()
  let fanOut = Int.random(in: 2...4, using: &random)
  let depth = 6
  @Sendable func spread(_ left: Int) {
    ran.increment()
    guard left > 0 else { return }
    for branch in 0..<fanOut {
      queues[(left + branch) % queues.count].async(group: group) { spread(left - 1) }
    }
  }
  queues[0].async(group: group) { spread(depth) }
  group.wait()
  var expected = 0
  var level = 1
  for _ in 0...depth {
    expected += level
    level *= fanOut
  }
  try agree(ran.value, expected, "items run when the wait returned")
}

private func mixed(_ random: inout SeededGenerator) throws {
  let queues = someQueues()
  for _ in 0..<20 {
    let groups = (0..<3).map { _ in DispatchGroup() }
    let outstanding = groups.map { _ in Counter() }
    let early = Counter()
    let came = EventCounter("notices")
    let gate = DispatchSemaphore(value: 0)
    for queue in queues {
      for _ in 0..<Int.random(in: 1...150, using: &random) {
        // Most members follow one of the same group.
        let number = Int.random(in: 0...20, using: &random) % 7 % 3
        let sleeps = Int.random(in: 0..<40, using: &random) == 0
        let steps = Int.random(in: 0...20, using: &random)
        outstanding[number].increment()
        queue.async(group: groups[number]) {
          if sleeps { _ = gate.wait(timeout: .now() + .microseconds(50)) }
          dawdle(steps)
          outstanding[number].decrement()
        }
        if Int.random(in: 0..<30, using: &random) == 0 { queue.async { dawdle(steps) } }
      }
    }
    for (group, outstanding) in zip(groups, outstanding) {
      group.notify(queue: .global()) {
        if outstanding.value != 0 { early.increment() }
        came.increment()
      }
    }
    try came.wait(for: groups.count)
    for group in groups { group.wait() }
    try agree(early.value, 0, "notices before the group was empty")
  }
}
