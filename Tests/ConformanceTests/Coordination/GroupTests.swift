// GroupTests — groups.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct GroupTests {
  @Test func waitReturnsAfterEveryItemOfEveryQueue() throws {
    let group = DispatchGroup()
    let ran = EventCounter("items")
    for kind in QueueKind.allCases {
      for number in 0..<20 {
        if number % 2 == 0 {
          kind.makeQueue().async(group: group) { ran.increment() }
        } else {
          kind.makeQueue().async(
            group: group, execute: DispatchWorkItem { ran.increment() })
        }
      }
    }
    group.wait()
    #expect(ran.value == 20 * QueueKind.allCases.count)
  }

  @Test func emptyGroupDoesNotWait() {
    let group = DispatchGroup()
    group.wait()
    #expect(group.wait(timeout: .now()) == .success)
    #expect(group.wait(timeout: .distantFuture) == .success)
    #expect(group.wait(wallTimeout: .now()) == .success)
    #expect(group.wait(wallTimeout: .distantFuture) == .success)
  }

  @Test func timedWaitEndsInTimeAndNotBefore() {
    let group = DispatchGroup()
    group.enter()
    let begun = Uptime.now()
    #expect(group.wait(timeout: deadline(after: RealTime.delay)) == .timedOut)
    #expect(Uptime.now().since(begun) >= RealTime.delay)
    let begunAgain = Uptime.now()
    #expect(group.wait(wallTimeout: wallDeadline(after: RealTime.delay)) == .timedOut)
    #expect(Uptime.now().since(begunAgain) >= RealTime.delay * 0.99)
    #expect(group.wait(timeout: .now()) == .timedOut)
    #expect(group.wait(timeout: .now() - .seconds(5)) == .timedOut)
    #expect(group.wait(wallTimeout: .now()) == .timedOut)
    group.leave()
    #expect(group.wait(timeout: .now()) == .success)
  }

  @Test func timedWaitsSucceedWhenTheGroupEmpties() throws {
    let group = DispatchGroup()
    let results = EventLog<DispatchTimeoutResult>()
    group.enter()
    let threads = [
      try PlainThread { results.append(group.wait(timeout: .distantFuture)) },
      try PlainThread { results.append(group.wait(wallTimeout: .distantFuture)) },
      try PlainThread { results.append(group.wait(timeout: deadline(after: RealTime.life))) },
      try PlainThread {
        results.append(group.wait(wallTimeout: wallDeadline(after: RealTime.life)))
      },
      try PlainThread {
        group.wait()
        results.append(.success)
      },
    ]
    letRealTimePass(RealTime.settling)
    #expect(results.count == 0)
    group.leave()
    for thread in threads { try thread.join() }
    #expect(results.all == Array(repeating: .success, count: 5))
  }

  @Test func enterAndLeaveMixWithAsync() throws {
    let group = DispatchGroup()
    let log = EventLog<String>()
    let gate = Gate()
    group.enter()
    group.enter()
    DispatchQueue.global().async(group: group) { log.append("item") }
    DispatchQueue.global().async {
      gate.pass()
      log.append("left")
      group.leave()
    }
    group.notify(queue: .global()) { log.append("notify") }
    group.leave()
    try log.wait(forCount: 1)
    #expect(group.wait(timeout: deadline(after: RealTime.settling)) == .timedOut)
    gate.open()
    try #expect(log.wait(forCount: 3) == ["item", "left", "notify"])
    group.wait()
  }

  @Test func notifyRunsOnceWhenTheGroupIsEmpty() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let group = DispatchGroup()
      let ran = EventCounter("notifications")
      group.enter()
      group.notify(queue: queue) { ran.increment() }
      group.notify(queue: queue, work: DispatchWorkItem { ran.increment() })
      letRealTimePass(RealTime.settling)
      #expect(ran.value == 0)
      group.leave()
      try ran.wait(for: 2)
      // After the group is empty again, it does not notify again.
      group.enter()
      group.leave()
      queue.sync(flags: .barrier) {}
      letRealTimePass(RealTime.settling)
      #expect(ran.value == 2)
    }
  }

  @Test func notifyOnAnEmptyGroupRunsSoon() throws {
    let ran = EventCounter("notifications")
    DispatchGroup().notify(queue: .global()) { ran.increment() }
    DispatchGroup().notify(queue: .global(), work: DispatchWorkItem { ran.increment() })
    try ran.wait(for: 2)
  }

  @Test func notificationsRunInTheOrderRequested() throws {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "test.notify.order")
    let log = EventLog<Int>()
    group.enter()
    for number in 0..<50 {
      if number % 2 == 0 {
        group.notify(queue: queue) { log.append(number) }
      } else {
        group.notify(queue: queue, work: DispatchWorkItem { log.append(number) })
      }
    }
    group.leave()
    try #expect(log.wait(forCount: 50) == Array(0..<50))
  }

  @Test func everyQoSAndFlagOfNotifyRuns() throws {
    let group = DispatchGroup()
    let ran = EventCounter("notifications")
    let queue = DispatchQueue(label: "test.notify.flags", attributes: .concurrent)
    var asked = 0
    group.enter()
    for qos in everyQoS {
      for flags in everyFlags {
        group.notify(qos: qos, flags: flags, queue: queue) { ran.increment() }
        group.notify(
          queue: queue, work: DispatchWorkItem(qos: qos, flags: flags) { ran.increment() })
        asked += 2
      }
    }
    group.leave()
    try ran.wait(for: asked)
    queue.sync(flags: .barrier) {}
    #expect(ran.value == asked)
  }

  @Test func notificationRunsAfterTheLastItemOnEveryQueue() throws {
    for _ in 0..<100 {
      let group = DispatchGroup()
      let cells = (0..<4).map { _ in Unprotected(0) }
      for (index, cell) in cells.enumerated() {
        DispatchQueue.global().async(group: group) { cell.value = index + 1 }
      }
      let sums = EventLog<Int>()
      group.notify(queue: .global()) { sums.append(cells.reduce(0) { $0 + $1.value }) }
      try #expect(sums.wait(forCount: 1) == [10])
    }
  }

  @Test func groupCanBeUsedAgain() throws {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "test.reuse", attributes: .concurrent)
    let ran = EventCounter("items")
    let told = EventCounter("notifications")
    for round in 1...200 {
      for _ in 0..<3 { queue.async(group: group) { ran.increment() } }
      group.notify(queue: queue) { told.increment() }
      group.wait()
      #expect(ran.value == 3 * round)
    }
    try told.wait(for: 200)
    #expect(told.value == 200)
  }

  @Test func itemMayAddMoreItemsToItsGroup() throws {
    let group = DispatchGroup()
    let ran = EventCounter("items")
    @Sendable func descend(_ depth: Int) {
      ran.increment()
      guard depth > 0 else { return }
      for _ in 0..<2 { DispatchQueue.global().async(group: group) { descend(depth - 1) } }
    }
    DispatchQueue.global().async(group: group) { descend(6) }
    group.wait()
    #expect(ran.value == 127)
  }

  @Test func groupIsLeftWhenTheClosureReturnsNotWhenWorkItStartedEnds() {
    let group = DispatchGroup()
    let gate = Gate()
    let queue = DispatchQueue(label: "test.left")
    DispatchQueue.global().async(group: group) { queue.async { gate.pass() } }
    group.wait()
    #expect(!gate.isOpened)
    gate.open()
    queue.sync {}
  }

  @Test func cancelledItemLeavesItsGroup() throws {
    let group = DispatchGroup()
    let ran = EventCounter("runs")
    let queue = DispatchQueue(label: "test.cancelled.group")
    queue.suspend()
    let item = DispatchWorkItem { ran.increment() }
    queue.async(group: group, execute: item)
    item.cancel()
    queue.resume()
    group.wait()
    #expect(ran.value == 0)
  }

  @Test func manyWaitersAreAllReleased() throws {
    let group = DispatchGroup()
    let released = EventCounter("waiters")
    for _ in 0..<20 {
      group.enter()
      let threads = try (0..<3).map { _ in
        try PlainThread {
          group.wait()
          released.increment()
        }
      }
      group.leave()
      for thread in threads { try thread.join() }
    }
    #expect(released.value == 60)
  }

  @Test func enterAndLeaveFromManyThreadsBalance() throws {
    let group = DispatchGroup()
    let told = EventCounter("notifications")
    group.enter()
    group.notify(queue: .global()) { told.increment() }
    try runThreads(4) { _ in
      for _ in 0..<500 {
        group.enter()
        group.leave()
      }
    }
    #expect(told.value == 0)
    group.leave()
    try told.wait(for: 1)
    group.wait()
    #expect(told.value == 1)
  }

  @Test func waiterSeesWhatWasWrittenBeforeLeave() throws {
    for round in 0..<200 {
      let group = DispatchGroup()
      let cell = Unprotected(0)
      group.enter()
      let thread = try PlainThread {
        cell.value = round
        group.leave()
      }
      group.wait()
      #expect(cell.value == round)
      try thread.join()
    }
  }

  /// Nothing but the members refers to a group while its items run.
  @Test func itemsOfAReleasedGroupRunAndFreeIt() throws {
    let tracker = LeakTracker()
    let queue = DispatchQueue(label: "test.released.group")
    let ran = EventCounter("items")
    weak var released: DispatchGroup?
    queue.suspend()
    do {
      let group = DispatchGroup()
      released = group
      let object = tracker.makeObject()
      for _ in 0..<10 {
        queue.async(group: group) {
          object.touch()
          ran.increment()
        }
      }
      group.notify(queue: queue) { ran.increment() }
      group.enter()
      // The last reference to the group is this closure's.
      queue.async { group.leave() }
    }
    #expect(released != nil)
    queue.resume()
    try ran.wait(for: 11)
    queue.sync {}
    try tracker.waitUntilAllAreFreed()
    #expect(released == nil)
  }

  @Test func capturesOfNotificationsAreReleased() throws {
    let tracker = LeakTracker()
    let ran = EventCounter("notifications")
    for _ in 0..<10 {
      let group = DispatchGroup()
      group.enter()
      let object = tracker.makeObject()
      group.notify(queue: .global()) {
        object.touch()
        ran.increment()
      }
      group.notify(
        queue: .global(),
        work: DispatchWorkItem {
          object.touch()
          ran.increment()
        })
      group.leave()
    }
    try ran.wait(for: 20)
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 10)
  }
}
