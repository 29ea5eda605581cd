// FullQueueTests — a concurrent queue that runs as many items as its word can count.

import SignalboxTestSupport
import Synchronization
import Testing

@testable import SignalboxDispatch

@Suite("Full queues", .guarded) struct FullQueueTests {
  /// A queue on which only a few more items can run. The test holds the other shares.
  private final class NearlyFull: Sendable {
    let queue = DispatchQueue(label: "nearly full", attributes: .concurrent)
    private let held: Atomic<Int>
    private let running = Atomic<Int>(0)
    private let most = Atomic<Int>(0)
    private let ran = Atomic<Int>(0)

    init(room: Int) {
      let count = QueueState.Snapshot.mostShared - room
      held = Atomic(count)
      let areHeld = (0..<count).allSatisfy { _ in queue.state.tryShare() }
      #expect(areHeld)
    }

    func giveUp(_ count: Int) {
      held.subtract(count, ordering: .relaxed)
      for _ in 0..<count where !queue.state.tryUnshare() { queue.unshareSlow() }
    }

    func giveUpAll() { giveUp(held.load(ordering: .relaxed)) }

    /// What each item and each sync does.
    func work() {
      let now = running.add(1, ordering: .relaxed).newValue
      most.max(now, ordering: .relaxed)
      for _ in 0..<100 where most.load(ordering: .relaxed) < 0 {}
      running.subtract(1, ordering: .relaxed)
      ran.add(1, ordering: .relaxed)
    }

    var countOfRuns: Int { ran.load(ordering: .relaxed) }
    var mostAtOnce: Int { most.load(ordering: .relaxed) }
    var word: String { queue.state.snapshot.description }
  }

  @Test func anItemOfAFullQueueWaitsForTheEndOfAnother() throws {
    let full = NearlyFull(room: 0)
    let group = DispatchGroup()
    for _ in 0..<10 { full.queue.async(group: group) { full.work() } }
    // No worker drains the queue, and none is scheduled to.
    #expect(full.word == "shared \(QueueState.Snapshot.mostShared) · pending")
    let caller = try PlainThread { full.queue.sync { full.work() } }
    let other = try PlainThread { full.queue.asyncAndWait { full.work() } }
    #expect(full.countOfRuns == 0)
    full.giveUp(1)
    try caller.join()
    try other.join()
    group.wait()
    #expect(full.countOfRuns == 12)
    #expect(full.mostAtOnce == 1)
    full.giveUpAll()
  }

  /// Items, syncs and suspensions at the same time.
  @Test(arguments: 1...3) func noMoreItemsRunAtOnceThanAQueueCounts(room: Int) throws {
    let full = NearlyFull(room: room)
    let group = DispatchGroup()
    let (threads, rounds) = (4, 300)
    try runThreads(threads) { index in
      for round in 0..<rounds {
        switch (index + round) % 4 {
        case 0: full.queue.sync { full.work() }
        case 1: full.queue.asyncAndWait { full.work() }
        case 2:
          full.queue.suspend()
          full.queue.async(group: group) { full.work() }
          full.queue.resume()
        default: full.queue.async(group: group) { full.work() }
        }
      }
    }
    group.wait()
    #expect(full.countOfRuns == threads * rounds)
    #expect(full.mostAtOnce <= room)
    full.giveUpAll()
    #expect(full.queue.sync(flags: .barrier) { full.word.hasPrefix("owner") })
  }

  @Test func aBarrierRunsWhenAFullQueueHasBecomeEmpty() throws {
    let full = NearlyFull(room: 0)
    let ran = Gate("barrier and what stands behind it")
    full.queue.async { full.work() }
    full.queue.async(flags: .barrier) { full.work() }
    full.queue.async {
      full.work()
      ran.open()
    }
    full.giveUpAll()
    try ran.wait()
    #expect(full.countOfRuns == 3)
    #expect(full.mostAtOnce == 1)
  }
}
