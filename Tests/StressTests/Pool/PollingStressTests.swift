// PollingStressTests — items that poll instead of waiting.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let pollingSubjects = [
  Subject("items that poll let the item run for which they poll", pollForAnItemBehind)
]

@Suite struct PollingStressTests {
  @Test(arguments: pollingSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// More items than processors occupy every worker. An item that is submitted after them
/// provides what they poll for.
private func pollForAnItemBehind(_ random: inout SeededGenerator) throws {
  let pollers = processorCount + Int.random(in: 2...8, using: &random)
  let classes: [DispatchQoS.QoSClass] = [.default, .userInitiated, .userInteractive]
  let queue = DispatchQueue.global(qos: classes.randomElement(using: &random)!)
  let pollsGroup = Bool.random(using: &random)
  let tracker = LeakTracker()
  let awaited = DispatchGroup(), permits = DispatchSemaphore(value: 0)
  let ended = Counter(), released = Counter(), early = Counter()
  let all = DispatchGroup()
  awaited.enter()
  for _ in 0..<pollers {
    let object = tracker.makeObject()
    queue.async(group: all) {
      object.touch()
      if pollsGroup {
        while awaited.wait(timeout: .now()) == .timedOut {}
      } else {
        while permits.wait(timeout: .now()) == .timedOut {}
      }
      if released.value == 0 { early.increment() }
      ended.increment()
    }
  }
  do {
    let last = tracker.makeObject()
    queue.async(group: all) {
      last.touch()
      released.increment()
      awaited.leave()
      if !pollsGroup { for _ in 0..<pollers { permits.signal() } }
    }
  }
  all.wait()
  try tracker.waitUntilAllAreFreed()
  try agree(ended.value, pollers, "items that ended")
  try agree(released.value, 1, "items that released them")
  try agree(early.value, 0, "items that ended before they were released")
}
