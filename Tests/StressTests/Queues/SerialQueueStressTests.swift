// SerialQueueStressTests — serial queues with many producers.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let serialQueueSubjects = [
  Subject("each producer's items run in its order, one at a time", keepOrder),
  Subject("an item that submits to its own queue runs all it submitted", resubmit),
  Subject("a sync sees what its thread submitted before", seeOwnItems),
]

@Suite struct SerialQueueStressTests {
  @Test(arguments: serialQueueSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private struct Seen {
  var last: [Int]
  var ran = 0
  var disorders = 0
  var isInside = false
  var overlaps = 0

  mutating func enter(_ producer: Int, _ number: Int) {
    if isInside { overlaps += 1 }
    isInside = true
    if last[producer] != number - 1 { disorders += 1 }
    last[producer] = number
    ran += 1
    hesitate()
    isInside = false
  }
}

private func keepOrder(_ random: inout SeededGenerator) throws {
  let producers = Int.random(in: 2...6, using: &random)
  let items = Int.random(in: 100...600, using: &random)
  let generators = (0..<producers).map { _ in random.split() }
  let queue = DispatchQueue(label: "org.signalbox.stress.serial")
  let group = DispatchGroup()
  let seen = Unguarded(Seen(last: Array(repeating: -1, count: producers)))
  let tracker = LeakTracker()
  try runThreads(producers) { producer in
    var random = generators[producer]
    for number in 0..<items {
      let object = tracker.makeObject()
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        queue.sync { seen.value.enter(producer, number) }
      case 1:
        queue.sync(flags: .barrier) { seen.value.enter(producer, number) }
      case 2:
        queue.async(execute: DispatchWorkItem { seen.value.enter(producer, number) })
      case 3:
        queue.async(group: group) {
          object.touch()
          seen.value.enter(producer, number)
        }
      case 4:
        queue.async(flags: .barrier) { seen.value.enter(producer, number) }
      default:
        queue.async {
          object.touch()
          seen.value.enter(producer, number)
        }
      }
    }
  }
  let state = queue.sync { seen.value }
  try agree(state.ran, producers * items, "items run")
  try agree(state.overlaps, 0, "items that ran beside another")
  try agree(state.disorders, 0, "items out of order")
  group.wait()
  try tracker.waitUntilAllAreFreed()
}

private func resubmit(_ random: inout SeededGenerator) throws {
  let chains = Int.random(in: 1...8, using: &random)
  let length = Int.random(in: 200...2000, using: &random)
  let queue = DispatchQueue(label: "org.signalbox.stress.chain")
  let group = DispatchGroup()
  let ran = Unguarded(0)
  @Sendable func step(_ left: Int) {
    ran.increment()
    if left > 1 { queue.async(group: group) { step(left - 1) } }
  }
  for _ in 0..<chains { queue.async(group: group) { step(length) } }
  group.wait()
  try agree(queue.sync { ran.value }, chains * length, "steps")
}

private func seeOwnItems(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...5, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let queue = DispatchQueue(label: "org.signalbox.stress.own")
  let slots = Unguarded(Array(repeating: 0, count: threads))
  let missed = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    var expected = 0
    for _ in 0..<100 {
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        queue.async { slots.value[thread] += 1 }
        expected += 1
      }
      if queue.sync(execute: { slots.value[thread] }) != expected { missed.increment() }
    }
  }
  try agree(missed.value, 0, "syncs that missed an item of their own thread")
}
