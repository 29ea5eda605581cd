// LifeTimeTests — the lifetime of queues.

import SignalboxDispatch
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

  @Test func queueReleasedByItsOwnItemIsFreed() throws {
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
      let queues = WeakWatch()
      let ran = EventCounter("items")
      for _ in 0..<20 {
        let queue = queues.watch(kind.makeQueue())
        queue.async { ran.increment() }
        queue.sync { _ = ran.increment() }
        queue.async(flags: .barrier) { ran.increment() }
      }
      try ran.wait(for: 60)
      try queues.waitUntilAllAreFreed()
      #expect(queues.watched == 20)
    }
  }

  @Test func queueHeldOnlyByItsOwnPendingItemIsFreedAfterIt() throws {
    let queues = WeakWatch()
    let ran = EventCounter("items")
    for kind in Self.kinds {
      let queue = queues.watch(kind.makeQueue())
      queue.async {
        // The item retains its queue, so the last reference is released on the queue.
        _ = queue.label
        ran.increment()
      }
    }
    try ran.wait(for: Self.kinds.count)
    try queues.waitUntilAllAreFreed()
  }

  @Test func queueKeepsItsTargetAlive() throws {
    let targets = WeakWatch()
    func makeQueue() -> DispatchQueue {
      DispatchQueue(
        label: "test.over", target: targets.watch(DispatchQueue(label: "test.under")))
    }
    func use() {
      let over = makeQueue()
      #expect(over.sync { 1 } == 1)
      #expect(targets.alive == 1)
    }
    use()
    try targets.waitUntilAllAreFreed()
    #expect(targets.watched == 1)
  }

  @Test func queueIsFreedAfterTimedItemsRan() throws {
    let queues = WeakWatch()
    let ran = EventCounter("items")
    func submitAndDrop() {
      let queue = queues.watch(DispatchQueue(label: "test.timed"))
      queue.asyncAfter(deadline: .now() + .milliseconds(5)) { ran.increment() }
    }
    submitAndDrop()
    #expect(queues.alive == 1 || ran.value == 1)
    try ran.wait(for: 1)
    try queues.waitUntilAllAreFreed()
  }

  @Test func groupsSemaphoresAndItemsAreFreed() throws {
    let objects = WeakWatch()
    let done = EventCounter("notifications")
    func use() {
      let group = objects.watch(DispatchGroup())
      let semaphore = objects.watch(DispatchSemaphore(value: 0))
      let item = objects.watch(DispatchWorkItem { semaphore.signal() })
      DispatchQueue.global().async(group: group, execute: item)
      semaphore.wait()
      group.notify(queue: .global()) { done.increment() }
      item.notify(queue: .global()) { done.increment() }
    }
    for _ in 0..<20 { use() }
    try done.wait(for: 40)
    try objects.waitUntilAllAreFreed()
    #expect(objects.watched == 60)
  }

  @Test func manyQueuesAreCreatedAndFreed() throws {
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

  @Test func groupsAndSemaphoresMayBeReleasedWhileTheirWorkIsPending() throws {
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
