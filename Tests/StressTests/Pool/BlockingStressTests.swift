// BlockingStressTests — many blocked items, and later items in the queue that unblock them.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let blockingSubjects = [
  Subject("items blocked on every kind of queue run together and all end", blockTogether),
  Subject("blocked items are released by items submitted after them", releaseFromBehind),
  Subject("syncs nested over many queues all return", nestSyncs),
]

@Suite struct BlockingStressTests {
  @Test(arguments: blockingSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func blockTogether(_ random: inout SeededGenerator) throws {
  let count = Int.random(in: 20...80, using: &random)
  let concurrent = DispatchQueue(
    label: "org.signalbox.stress.blocked", attributes: .concurrent)
  let gate = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  let arrived = EventCounter("blocked items")
  let ended = Counter()
  for number in 0..<count {
    let queue =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: DispatchQueue.global()
      case 1: DispatchQueue.global(qos: .background)
      case 2: concurrent
      default: DispatchQueue(label: "org.signalbox.stress.blocked.\(number)")
      }
    queue.async(group: group) {
      arrived.increment()
      gate.wait()
      ended.increment()
    }
  }
  // Each arrival has the whole limit: items of the background class arrive late, and one after the
  // other, because each needs a new worker.
  for number in 1...count { try arrived.wait(for: number) }
  try agree(ended.value, 0, "items that passed a closed gate")
  for _ in 0..<count { gate.signal() }
  group.wait()
  try agree(ended.value, count, "items that ended")
}

private func releaseFromBehind(_ random: inout SeededGenerator) throws {
  let pairs = Int.random(in: 5...40, using: &random)
  let isGlobal = Bool.random(using: &random)
  let queue =
    isGlobal
    ? DispatchQueue.global()
    : DispatchQueue(label: "org.signalbox.stress.behind", attributes: .concurrent)
  let group = DispatchGroup()
  let passed = Counter()
  let releases = (0..<pairs).map { _ in DispatchSemaphore(value: 0) }
  let inner = (0..<pairs).map { _ in DispatchGroup() }
  for inner in inner { inner.enter() }
  for pair in 0..<pairs {
    let isGroup = Bool.random(using: &random)
    queue.async(group: group) {
      if isGroup { inner[pair].wait() } else { releases[pair].wait() }
      passed.increment()
    }
  }
  for pair in (0..<pairs).shuffled(using: &random) {
    // A barrier on a global queue is an ordinary item: it waits for no other item.
    let isBarrier = isGlobal && Bool.random(using: &random)
    queue.async(group: group, flags: isBarrier ? .barrier : []) {
      inner[pair].leave()
      releases[pair].signal()
    }
  }
  group.wait()
  try agree(passed.value, pairs, "items that were released")
}

private func nestSyncs(_ random: inout SeededGenerator) throws {
  let queues = (0..<6).map { DispatchQueue(label: "org.signalbox.stress.nested.\($0)") }
  let items = Int.random(in: 10...40, using: &random)
  let counts = queues.map { _ in Unguarded(0) }
  let group = DispatchGroup()
  // Goes always from a lower number to a higher one, so that no cycle can arise.
  @Sendable func descend(_ level: Int) {
    counts[level].increment()
    if level + 1 < queues.count { queues[level + 1].sync { descend(level + 1) } }
  }
  var starts = Array(repeating: 0, count: queues.count)
  for _ in 0..<items {
    let start = Int.random(in: 0..<queues.count, using: &random)
    starts[start] += 1
    if Bool.random(using: &random) {
      queues[start].async(group: group) { descend(start) }
    } else {
      DispatchQueue.global().async(group: group) { queues[start].sync { descend(start) } }
    }
  }
  group.wait()
  var expected = 0
  for level in queues.indices {
    expected += starts[level]
    try agree(queues[level].sync { counts[level].value }, expected, "visits of level \(level)")
  }
}
