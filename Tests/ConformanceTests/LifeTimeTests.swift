// Row Q14: how long a queue lives.

import Dispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct LifeTimeTests {
  static let kinds = QueueKind.allCases.filter { $0 != .global }

  @Test func droppedQueueRunsAllItsPendingWork() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let ran = EventCounter("items")
      let gate = Gate()
      func submitAndDrop() {
        let queue = kind.makeQueue()
        queue.async { gate.pass() }
        for _ in 0..<50 { queue.async { ran.increment() } }
        queue.async(flags: .barrier) { ran.increment() }
      }
      submitAndDrop()
      gate.open()
      try ran.wait(for: 51)
    }
  }

  @Test func queueDroppedByItsOwnItemEndsWell() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let ran = EventCounter("items")
      let holder = Guarded<DispatchQueue?>(kind.makeQueue())
      holder.current!.async {
        holder.withValue { $0 = nil }
        ran.increment()
      }
      try ran.wait(for: 1)
      #expect(holder.current == nil)
    }
  }

  @Test func queueIsFreedAfterItsLastItem() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      // What a queue's specific value holds is freed with the queue.
      let tracker = LeakTracker()
      let ran = EventCounter("items")
      let key = DispatchSpecificKey<TrackedObject>()
      for _ in 0..<20 {
        let queue = kind.makeQueue()
        queue.setSpecific(key: key, value: tracker.makeObject())
        queue.async { ran.increment() }
        queue.sync { _ = ran.increment() }
      }
      try ran.wait(for: 40)
      try tracker.waitUntilAllAreFreed()
      #expect(tracker.made == 20)
    }
  }

  @Test func queueHeldOnlyByItsOwnPendingItemIsFreedAfterIt() throws {
    let tracker = LeakTracker()
    let key = DispatchSpecificKey<TrackedObject>()
    let ran = EventCounter("items")
    for kind in Self.kinds {
      let queue = kind.makeQueue()
      queue.setSpecific(key: key, value: tracker.makeObject())
      queue.async {
        // The item holds its queue: the reference is dropped on the queue.
        _ = queue.label
        ran.increment()
      }
    }
    try ran.wait(for: Self.kinds.count)
    try tracker.waitUntilAllAreFreed()
  }

  @Test func queueKeepsItsTargetAlive() throws {
    let tracker = LeakTracker()
    let key = DispatchSpecificKey<TrackedObject>()
    do {
      let over = DispatchQueue(
        label: "test.over",
        target: {
          let under = DispatchQueue(label: "test.under")
          under.setSpecific(key: key, value: tracker.makeObject())
          return under
        }())
      #expect(over.sync { DispatchQueue.getSpecific(key: key) } != nil)
      #expect(tracker.freed == 0)
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 1)
  }

  @Test func manyQueuesComeAndGo() throws {
    let ran = EventCounter("items")
    try runThreads(2) { _ in
      for round in 0..<500 {
        let queue = DispatchQueue(
          label: "test.short", attributes: round % 2 == 0 ? [] : .concurrent)
        queue.async { ran.increment() }
      }
    }
    try ran.wait(for: 1000)
  }

  @Test func mainAndGlobalQueuesAreAlwaysThere() throws {
    for _ in 0..<1000 {
      #expect(DispatchQueue.main.label == "com.apple.main-thread")
      #expect(DispatchQueue.global(qos: .utility).label == "com.apple.root.utility-qos")
    }
    let ran = EventCounter("items")
    DispatchQueue.global(qos: .utility).async { ran.increment() }
    try ran.wait(for: 1)
  }

  @Test func groupsAndSemaphoresMayGoWhileTheirWorkIsPending() throws {
    let queue = DispatchQueue(label: "test.dropped.group")
    let ran = EventCounter("items")
    let gate = Gate()
    func submitAndDrop() {
      let group = DispatchGroup()
      queue.async(group: group) { gate.pass() }
      group.notify(queue: queue) { ran.increment() }
    }
    submitAndDrop()
    gate.open()
    try ran.wait(for: 1)
  }
}
