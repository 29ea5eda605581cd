// MetricsLoadTests — snapshots of a process under load: no number falls, none says more than was
// submitted or less than has run, and at the end each is exact.

import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Synchronization
import Testing

@Suite(.guarded) struct MetricsLoadTests {
  /// A queue, and what the test itself counts of it.
  private final class Watched: Sendable {
    let queue: DispatchQueue
    let submitted = Atomic<UInt64>(0)
    let begun = Atomic<UInt64>(0)
    let synced = Atomic<UInt64>(0)

    init(_ label: String, _ attributes: DispatchQueue.Attributes = []) {
      queue = DispatchQueue(label: label, attributes: attributes)
    }

    var id: UInt { UInt(bitPattern: ObjectIdentifier(queue)) }

    /// Submits an item, and now and then calls `sync`.
    func step(_ number: Int) {
      // order: relaxed; the item is submitted after it.
      submitted.add(1, ordering: .relaxed)
      queue.async { [self] in
        // order: releasing; a snapshot after it sees the item.
        _ = begun.add(1, ordering: .releasing)
      }
      guard number % 16 == 0 else { return }
      queue.sync(flags: .barrier) {
        _ = synced.add(1, ordering: .relaxed)  // order: relaxed; read at the end.
      }
    }
  }

  @Test func aSnapshotUnderLoadIsConsistent() throws {
    let watched = [
      Watched("load.a"), Watched("load.b"), Watched("load.c", .concurrent),
    ]
    let isOver = Atomic(false)
    // The barriers change threads: on a busy machine there are fewer items.
    let end = Uptime.now() + RealTime.wedge
    let producers = try (0..<3).map { seed in
      try PlainThread {
        for number in 0..<20_000 where Uptime.now() < end {
          watched[(number + seed) % watched.count].step(number / watched.count)
        }
        // order: relaxed; it only ends a loop.
        isOver.store(true, ordering: .relaxed)
      }
    }
    var last: [UInt: SignalboxMetrics.Counts] = [:]
    var total = SignalboxMetrics.Counts?.none
    // order: relaxed; it only ends a loop.
    while !isOver.load(ordering: .relaxed) {
      // order: acquiring; the items that are counted here have begun for the engine.
      let least = watched.map { $0.begun.load(ordering: .acquiring) }
      let metrics = SignalboxMetrics.snapshot()
      for (index, one) in watched.enumerated() {
        let seen = try #require(metrics.queues.first { $0.id == one.id })
        // order: acquiring; no less than at the snapshot.
        let most = one.submitted.load(ordering: .acquiring)
        #expect(seen.counts.items >= least[index] && seen.counts.items <= most)
        if let submitted = seen.submitted {
          // Threads in `sync` wait in the queue as well, at most one for each producer.
          #expect(submitted >= seen.counts.items && submitted <= most + 3)
        }
        try expectGrowth(from: last[one.id], to: seen.counts)
        last[one.id] = seen.counts
      }
      try expectGrowth(from: total, to: metrics.total)
      total = metrics.total
    }
    for producer in producers { try producer.join() }
    for one in watched {
      one.queue.sync(flags: .barrier) {}
      let seen = try #require(SignalboxMetrics.snapshot().queues.first { $0.id == one.id })
      // order: relaxed; the threads have ended, and so has every item.
      #expect(seen.counts.items == one.submitted.load(ordering: .relaxed))
      // order: relaxed; see above.
      #expect(seen.counts.syncs == one.synced.load(ordering: .relaxed) + 1)
      #expect(seen.counts.waits <= seen.counts.syncs)
      #expect(seen.waiting == 0)
    }
  }

  private func expectGrowth(
    from before: SignalboxMetrics.Counts?, to after: SignalboxMetrics.Counts
  ) throws {
    guard let before else { return }
    try #require(
      after.items >= before.items && after.syncs >= before.syncs && after.waits >= before.waits)
  }
}
