// MetricsTests — the numbers of a snapshot agree with what the program did.

import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct MetricsTests {
  /// The numbers of a queue now.
  private func counts(of queue: DispatchQueue) throws -> SignalboxMetrics.Counts {
    try numbers(of: queue).counts
  }

  private func numbers(of queue: DispatchQueue) throws -> SignalboxMetrics.Queue {
    let id = UInt(bitPattern: ObjectIdentifier(queue))
    return try #require(SignalboxMetrics.snapshot().queues.first { $0.id == id })
  }

  private func wait(
    _ what: String, file: StaticString = #fileID, line: UInt = #line,
    until condition: () throws -> Bool
  ) throws {
    let deadline = Uptime.now() + RealTime.wedge
    while try !condition() {
      guard Uptime.now() < deadline else { throw Wedge.found("no \(what)", file: file, line: line) }
      letRealTimePass(.milliseconds(1))
    }
  }

  private func runItems(_ count: Int, on queue: DispatchQueue) {
    let group = DispatchGroup()
    for _ in 0..<count { queue.async(group: group) {} }
    group.wait()
  }

  // MARK: Queues

  @Test func itemsOfASerialQueueAreCounted() throws {
    let queue = DispatchQueue(label: "metrics.serial")
    runItems(1000, on: queue)
    let seen = try numbers(of: queue)
    #expect(seen.label == "metrics.serial" && seen.kind == .serial)
    #expect(seen.counts.items == 1000 && seen.counts.syncs == 0 && seen.counts.waits == 0)
    #expect(seen.waiting == 0 && seen.submitted == 1000)
  }

  @Test func itemsOfAConcurrentQueueAreCounted() throws {
    let queue = DispatchQueue(label: "metrics.concurrent", attributes: .concurrent)
    let group = DispatchGroup()
    for index in 0..<1000 {
      queue.async(group: group, flags: index % 10 == 0 ? .barrier : []) {}
    }
    group.wait()
    #expect(try counts(of: queue).items == 1000)
  }

  @Test func itemsOfAWorkloopAreCounted() throws {
    let loop = DispatchWorkloop(label: "metrics.workloop")
    runItems(300, on: loop)
    #expect(try counts(of: loop).items == 300)
  }

  /// The target runs the queue's turns: at least one, and no more than the queue has items.
  @Test func turnsOfAQueueAreItemsOfItsTarget() throws {
    let bottom = DispatchQueue(label: "metrics.bottom")
    let top = DispatchQueue(label: "metrics.top", target: bottom)
    runItems(100, on: top)
    #expect(try counts(of: top).items == 100)
    #expect(1...100 ~= (try counts(of: bottom).items))
  }

  @Test func callsOfSyncAreCounted() throws {
    let queue = DispatchQueue(label: "metrics.sync")
    for _ in 0..<100 { queue.sync {} }
    queue.asyncAndWait {}
    #expect(try counts(of: queue).syncs == 101)
    let shared = DispatchQueue(label: "metrics.barrier", attributes: .concurrent)
    for _ in 0..<100 { shared.sync(flags: .barrier) {} }
    shared.sync {}
    let seen = try counts(of: shared)
    #expect(seen.syncs == 100 && seen.items == 0 && seen.waits == 0)
  }

  @Test func callsOfSyncThatWaitAreCounted() throws {
    let queue = DispatchQueue(label: "metrics.waits")
    let (begun, over) = (Gate(), Gate())
    queue.async {
      begun.open()
      over.pass()
    }
    try begun.wait()
    let waiter = try PlainThread { queue.sync {} }
    try wait("thread in sync") { try numbers(of: queue).waiting == 1 }
    #expect(try counts(of: queue).waits == 0)
    over.open()
    try waiter.join()
    let seen = try counts(of: queue)
    #expect(seen.waits == 1 && seen.syncs == 1 && seen.items == 1)
  }

  /// The thread in `sync` runs the items before its own; no worker does.
  @Test func itemsThatAWaitingThreadRunsAreCounted() throws {
    let queue = DispatchQueue(label: "metrics.advance", attributes: .initiallyInactive)
    for _ in 0..<20 { queue.async {} }
    queue.suspend()
    queue.activate()
    let waiter = try PlainThread { queue.sync {} }
    try wait("thread in sync") { try numbers(of: queue).waiting == 21 }
    #expect(try counts(of: queue).items == 0)
    queue.resume()
    try waiter.join()
    let seen = try counts(of: queue)
    #expect(seen.items == 20 && seen.syncs == 1 && seen.waits == 1)
  }

  @Test func itemsThatHaveNotBegunAreSubmitted() throws {
    let queue = DispatchQueue(label: "metrics.suspended")
    runItems(3, on: queue)
    queue.suspend()
    for _ in 0..<5 { queue.async {} }
    let seen = try numbers(of: queue)
    #expect(seen.counts.items == 3 && seen.waiting == 5 && seen.submitted == 8)
    queue.resume()
    queue.sync {}
    #expect(try numbers(of: queue).submitted == 8)
  }

  @Test func aFreedQueueStaysInTheSums() throws {
    let before = SignalboxMetrics.snapshot()
    var queue: DispatchQueue? = DispatchQueue(label: "metrics.freed")
    let isFreed = { [weak queue] in queue == nil }
    for _ in 0..<1234 { queue?.sync {} }
    queue = nil
    try #require(isFreed())
    let after = SignalboxMetrics.snapshot()
    #expect(!after.queues.contains { $0.label == "metrics.freed" })
    #expect(after.ended.syncs - before.ended.syncs >= 1234)
    #expect(after.total.syncs - before.total.syncs >= 1234)
  }

  // MARK: Pools and timers

  @Test func aBlockedWorkerIsCountedAsBlocked() throws {
    let queue = DispatchQueue(label: "metrics.blocked")
    let (begun, over) = (Gate(), Gate())
    queue.async {
      begun.open()
      over.pass()
    }
    try begun.wait()
    var pool: SignalboxMetrics.Pool?
    try wait("blocked worker") {
      pool = SignalboxMetrics.snapshot().pools.first { $0.name == "default" }
      return (pool?.blocked ?? 0) >= 1
    }
    let found = try #require(pool)
    #expect(found.running + found.parked + found.blocked + found.stalled <= found.workers)
    #expect(found.started >= UInt64(found.workers))
    over.open()
    queue.sync {}
  }

  @Test func anItemBehindABlockedOneGetsAnotherWorker() throws {
    // Nothing may have been submitted yet.
    let before = SignalboxMetrics.snapshot().pools.first { $0.name == "default" }?.replaced ?? 0
    let over = Gate()
    let group = DispatchGroup()
    // More than the workers that may run at once, so that some run only because others wait.
    for index in 0..<64 {
      DispatchQueue(label: "metrics.replaced.\(index)").async(group: group) { over.pass() }
    }
    let last = DispatchQueue(label: "metrics.replaced.last")
    let lastHasBegun = Gate()
    last.async(group: group) { lastHasBegun.open() }
    try lastHasBegun.wait()
    let after = try #require(SignalboxMetrics.snapshot().pools.first { $0.name == "default" })
    #expect(after.replaced > before)
    over.open()
    group.wait()
  }

  @Test func firedTimersAreCounted() throws {
    let before = SignalboxMetrics.snapshot().timers
    let queue = DispatchQueue(label: "metrics.timers")
    let group = DispatchGroup()
    for _ in 0..<10 {
      group.enter()
      queue.asyncAfter(deadline: .now() + .milliseconds(1)) { group.leave() }
    }
    group.wait()
    let after = SignalboxMetrics.snapshot().timers
    #expect(after.fired >= before.fired + 10)
    #expect(after.late > before.late && after.latest <= after.late)
  }
}
