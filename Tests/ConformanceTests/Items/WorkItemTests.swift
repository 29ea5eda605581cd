// WorkItemTests — work items.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct WorkItemTests {
  @Test func performRunsTheBlockOnTheCaller() throws {
    try withEvery("qos", in: everyQoS) { qos in
      try withEvery("flags", in: everyFlags) { flags in
        let number = Unprotected(0)
        let item = DispatchWorkItem(qos: qos, flags: flags) { number.value = kernelThreadNumber() }
        item.perform()
        #expect(number.value == kernelThreadNumber())
        #expect(item.wait(timeout: .now()) == .success)
        #expect(!item.isCancelled)
      }
    }
  }

  @Test func performMayBeRepeated() {
    let ran = EventCounter("runs")
    let item = DispatchWorkItem { ran.increment() }
    for _ in 0..<3 { item.perform() }
    #expect(ran.value == 3)
  }

  @Test func itemMayBeSubmittedSeveralTimes() throws {
    let queue = DispatchQueue(label: "test.again")
    let ran = EventCounter("runs")
    let item = DispatchWorkItem { ran.increment() }
    for _ in 0..<5 { queue.async(execute: item) }
    try ran.wait(for: 5)
    queue.sync {}
    #expect(ran.value == 5)
  }

  @Test func waitReturnsAfterTheRun() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      // Each wait has an item of its own, because an item that ran may be awaited only once.
      let cells = (0..<5).map { _ in Unprotected(0) }
      let items = cells.map { cell in DispatchWorkItem { cell.value = 1 } }
      for item in items { queue.async(execute: item) }
      items[0].wait()
      #expect(items[1].wait(timeout: .distantFuture) == .success)
      #expect(items[2].wait(wallTimeout: .distantFuture) == .success)
      #expect(cells[0...2].allSatisfy { $0.value == 1 })
      queue.sync(flags: .barrier) {}
      if kind != .global {
        #expect(items[3].wait(timeout: .now()) == .success)
        #expect(items[4].wait(wallTimeout: .now()) == .success)
        #expect(cells[3...4].allSatisfy { $0.value == 1 })
      }
    }
  }

  @Test func waitBeforeSubmissionWaitsForTheRun() throws {
    let ran = EventCounter("runs")
    let shared = SharedItem(DispatchWorkItem { ran.increment() })
    let seen = EventLog<Int>()
    let waiter = try PlainThread {
      shared.item.wait()
      seen.append(ran.value)
    }
    letRealTimePass(RealTime.settling)
    #expect(seen.count == 0)
    DispatchQueue.global().async(execute: shared.item)
    try waiter.join()
    #expect(seen.all == [1])
  }

  @Test func timedWaitEndsInTimeAndNotBefore() throws {
    let gate = Gate()
    let item = DispatchWorkItem { gate.pass() }
    DispatchQueue.global().async(execute: item)
    let begun = Uptime.now()
    #expect(item.wait(timeout: deadline(after: RealTime.delay)) == .timedOut)
    #expect(Uptime.now().since(begun) >= RealTime.delay)
    let begunAgain = Uptime.now()
    #expect(item.wait(wallTimeout: wallDeadline(after: RealTime.delay)) == .timedOut)
    #expect(Uptime.now().since(begunAgain) >= RealTime.delay * 0.99)
    #expect(item.wait(timeout: .now()) == .timedOut)
    gate.open()
    #expect(item.wait(timeout: .distantFuture) == .success)
  }

  @Test func cancelledItemNeverStarts() throws {
    try withEvery("queue", in: QueueKind.allCases.filter(\.canBeSuspended)) { kind in
      try withEvery("flags", in: everyFlags) { flags in
        let queue = kind.makeQueue()
        let ran = EventCounter("runs")
        queue.suspend()
        let item = DispatchWorkItem(flags: flags) { ran.increment() }
        queue.async(execute: item)
        #expect(!item.isCancelled)
        item.cancel()
        #expect(item.isCancelled)
        item.cancel()
        queue.resume()
        // A wait for a cancelled item ends once it is the item's turn.
        item.wait()
        #expect(ran.value == 0)
      }
    }
  }

  @Test func performOfACancelledItemDoesNothing() {
    let ran = EventCounter("runs")
    let item = DispatchWorkItem { ran.increment() }
    item.cancel()
    item.perform()
    #expect(ran.value == 0)
    #expect(item.isCancelled)
  }

  @Test func cancelDoesNotStopARunningItem() throws {
    let running = Gate("running")
    let gate = Gate()
    let ended = EventCounter("ended")
    let item = DispatchWorkItem {
      running.open()
      gate.pass()
      ended.increment()
    }
    DispatchQueue.global().async(execute: item)
    try running.wait()
    item.cancel()
    #expect(item.isCancelled)
    #expect(item.wait(timeout: .now()) == .timedOut)
    gate.open()
    item.wait()
    #expect(ended.value == 1)
  }

  @Test func runningItemSeesThatItIsCancelled() throws {
    let seen = EventLog<Bool>()
    let running = Gate("running")
    let gate = Gate()
    let holder = Guarded<SharedItem?>(nil)
    let item = DispatchWorkItem {
      running.open()
      gate.pass()
      seen.append(holder.current!.item.isCancelled)
    }
    holder.withValue { $0 = SharedItem(item) }
    DispatchQueue.global().async(execute: item)
    try running.wait()
    item.cancel()
    gate.open()
    try #expect(seen.wait(forCount: 1) == [true])
    // The item retained itself.
    holder.withValue { $0 = nil }
  }

  @Test func notifyRunsAfterTheItem() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let log = EventLog<String>()
      let gate = Gate()
      let item = DispatchWorkItem {
        gate.pass()
        log.append("item")
      }
      item.notify(queue: queue) { log.append("told") }
      item.notify(queue: queue, execute: DispatchWorkItem { log.append("told") })
      queue.async(execute: item)
      gate.open()
      try #expect(log.wait(forCount: 3) == ["item", "told", "told"])
    }
  }

  @Test func notifyAfterTheRunRunsSoon() throws {
    let ran = EventCounter("notifications")
    let item = DispatchWorkItem {}
    item.perform()
    item.notify(queue: .global()) { ran.increment() }
    item.notify(queue: .global(), execute: DispatchWorkItem { ran.increment() })
    try ran.wait(for: 2)
  }

  /// The first end is the one that counts, whether the second run ends before or after it is told.
  @Test func itemThatIsObservedMayRunAgain() throws {
    let queue = DispatchQueue(label: "test.item.observed")
    let told = EventCounter("told")
    let ran = EventCounter("runs")
    for round in 1...1_000 {
      let mayEnd = Gate("the second run may end")
      let item = DispatchWorkItem {
        if ran.increment() % 2 == 0 { mayEnd.pass() }
      }
      item.perform()
      queue.async(execute: item)
      item.notify(queue: .global()) { told.increment() }
      mayEnd.open()
      queue.sync {}
      try told.wait(for: round)
      #expect(ran.value == 2 * round)
    }
    #expect(told.value == 1_000)
  }

  @Test func everyQoSAndFlagOfNotifyRuns() throws {
    let queue = DispatchQueue(label: "test.item.notify", attributes: .concurrent)
    let ran = EventCounter("notifications")
    var asked = 0
    let item = DispatchWorkItem {}
    for qos in everyQoS {
      for flags in everyFlags {
        item.notify(qos: qos, flags: flags, queue: queue) { ran.increment() }
        item.notify(
          queue: queue, execute: DispatchWorkItem(qos: qos, flags: flags) { ran.increment() })
        asked += 2
      }
    }
    queue.async(execute: item)
    try ran.wait(for: asked)
    queue.sync(flags: .barrier) {}
    #expect(ran.value == asked)
  }

  @Test func cancelledItemStillNotifies() throws {
    let queue = DispatchQueue(label: "test.cancelled.notify")
    let told = EventCounter("notifications")
    let ran = EventCounter("runs")
    let item = DispatchWorkItem { ran.increment() }
    item.notify(queue: queue) { told.increment() }
    item.cancel()
    queue.async(execute: item)
    try told.wait(for: 1)
    #expect(ran.value == 0)
  }

  @Test func barrierFlagOfAnItemCounts() throws {
    let queue = DispatchQueue(label: "test.item.barrier", attributes: .concurrent)
    let log = EventLog<String>()
    let running = Gate("running")
    let gate = Gate()
    queue.async {
      running.open()
      gate.pass()
      log.append("before")
    }
    try running.wait()
    queue.async(execute: DispatchWorkItem(flags: .barrier) { log.append("barrier") })
    queue.async(execute: DispatchWorkItem { log.append("after") })
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    gate.open()
    try #expect(log.wait(forCount: 3) == ["before", "barrier", "after"])
  }

  @Test func flagsAreAnOptionSetWithApplesValues() {
    #expect(DispatchWorkItemFlags.barrier.rawValue == 0x1)
    #expect(DispatchWorkItemFlags.detached.rawValue == 0x2)
    #expect(DispatchWorkItemFlags.assignCurrentContext.rawValue == 0x4)
    #expect(DispatchWorkItemFlags.noQoS.rawValue == 0x8)
    #expect(DispatchWorkItemFlags.inheritQoS.rawValue == 0x10)
    #expect(DispatchWorkItemFlags.enforceQoS.rawValue == 0x20)
    let both: DispatchWorkItemFlags = [.barrier, .enforceQoS]
    #expect(both.contains(.barrier) && both.contains(.enforceQoS) && !both.contains(.detached))
    #expect(DispatchWorkItemFlags(rawValue: 0x21) == both)
    #expect(DispatchQueue.Attributes.concurrent.rawValue == 1 << 1)
    #expect(DispatchQueue.Attributes.initiallyInactive.rawValue == 1 << 2)
  }

  @Test func blockIsReleasedWithTheItem() throws {
    let tracker = LeakTracker()
    do {
      let object = tracker.makeObject()
      let run = DispatchWorkItem { object.touch() }
      run.perform()
      let neverRun = DispatchWorkItem { object.touch() }
      #expect(!neverRun.isCancelled)
      let cancelled = DispatchWorkItem { object.touch() }
      cancelled.cancel()
      let told = DispatchWorkItem { object.touch() }
      run.notify(queue: .global(), execute: told)
      told.wait()
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 1)
  }

  @Test func itemLivesUntilItHasRun() throws {
    let tracker = LeakTracker()
    let ran = EventCounter("runs")
    let queue = DispatchQueue(label: "test.item.life")
    queue.suspend()
    do {
      let object = tracker.makeObject()
      queue.async(
        execute: DispatchWorkItem {
          object.touch()
          ran.increment()
        })
    }
    #expect(tracker.freed == 0)
    queue.resume()
    try ran.wait(for: 1)
    try tracker.waitUntilAllAreFreed()
  }

  @Test func cancelFromManyThreadsRunsAtMostOnce() throws {
    let queue = DispatchQueue(label: "test.cancel.many", attributes: .concurrent)
    for _ in 0..<100 {
      let ran = EventCounter("runs")
      let shared = SharedItem(DispatchWorkItem { ran.increment() })
      try runThreads(3) { index in
        if index == 0 { queue.async(execute: shared.item) } else { shared.item.cancel() }
      }
      shared.item.wait()
      #expect(ran.value <= 1)
      #expect(shared.item.isCancelled)
    }
  }
}
