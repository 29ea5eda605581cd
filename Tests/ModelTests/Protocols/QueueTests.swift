// The queue's ownership: no item is left without one who must serve it, no thread waits
// for ever in sync, and what must run alone runs alone.

import Testing

@Suite struct QueueTests {
  /// A thread of a scenario.
  enum Role: Sendable {
    /// Appends these items in turn.
    case producer([Int])
    /// Runs work alone or beside others, as this item if it has to wait.
    case alone(Int), shared(Int)
    /// Suspends the queue and resumes it.
    case halter
  }

  /// Threads that use one queue, and workers that serve it.
  private func scenario(
    _ roles: [Role], workers: Int = 1, barriers: Set<Int>? = nil, turnsEnd: Bool = false,
    mistake: QueueModel.Mistake? = nil
  ) -> Scenario<QueueSite> {
    var items = 0
    var waiters: [Int] = []
    for role in roles {
      switch role {
      case .producer(let list): items += list.count
      case .alone(let item), .shared(let item):
        items += 1
        waiters.append(item)
      case .halter: break
      }
    }
    let count = items, waiting = waiters
    return Scenario("\(roles), \(workers) workers, \(mistake.map { "\($0)" } ?? "")") {
      p, orderings in
      let queue = QueueModel(
        &p, items: count, barriers: barriers, waiters: waiting, turnsEnd: turnsEnd, orderings,
        mistake)
      for role in roles {
        switch role {
        case .producer(let list):
          p.thread(
            "producer of \(list)",
            sections: list.map { item in { t in try queue.push(item, t) } })
        case .alone(let item):
          p.thread("sync \(item) alone", sections: queue.syncAlone(item))
        case .shared(let item):
          p.thread("sync \(item) beside others", sections: queue.syncShared(item))
        case .halter:
          p.thread(
            "halter", sections: [{ t in try queue.suspend(t) }, { t in try queue.resume(t) }])
        }
      }
      for worker in 1..<(workers + 1) {
        p.thread(
          "worker \(worker)", mayRemainBlocked: true,
          sections: Array(
            repeating: { t in try queue.serveInvited(worker, t) }, count: 2 * count + 1))
      }
      p.atEnd { end in queue.leftovers(end) }
    }
  }

  // MARK: Serial queues

  private var serial: [Scenario<QueueSite>] {
    [
      scenario([.alone(1), .alone(2)], workers: 0),
      scenario([.producer([1]), .producer([2])], workers: 2),
      scenario([.producer([1]), .alone(2)]),
      scenario([.producer([1]), .producer([2]), .halter]),
    ]
  }

  @Test func noItemOfASerialQueueIsLeftBehindAndNoneRunsBesideAnother() {
    expectHolds(serial)
    expectHolds([scenario([.producer([1, 3]), .producer([2])])])
  }

  @Test func anOwnerWhoseTurnIsOverLeavesNothingBehind() {
    expectHolds([
      scenario([.producer([1]), .producer([2])], workers: 2, turnsEnd: true),
      scenario([.producer([1]), .alone(2)], turnsEnd: true),
    ])
  }

  @Test func aSuspendedQueueForgetsNoOneWhoWaits() {
    expectHolds([scenario([.producer([1]), .alone(2), .halter])])
  }

  // MARK: Concurrent queues

  private var concurrent: [Scenario<QueueSite>] {
    [
      scenario([.shared(1), .shared(2)], workers: 0, barriers: []),
      scenario([.shared(1), .alone(2)], workers: 0, barriers: [2]),
      scenario([.producer([1, 2])], workers: 2, barriers: []),
      scenario([.producer([1, 2])], workers: 2, barriers: [2]),
      scenario([.producer([1]), .shared(2)], barriers: [1]),
    ]
  }

  @Test func aBarrierRunsAloneAndTheOthersAfterIt() {
    expectHolds(concurrent)
    expectHolds([scenario([.producer([1, 2, 3])], workers: 2, barriers: [2])])
  }

  // MARK: Orderings

  /// A waiter writes nothing before it falls asleep that its granter reads.
  @Test func everyOrderingOfTheQueueIsNeeded() {
    expectEachWeakeningFails(serial + concurrent, except: ["grant release"])
  }

  // MARK: Mistakes

  private func losesAnItem(_ verdict: Verdict) -> Bool {
    guard case .violation(let what) = verdict.flaw else { return false }
    return what.hasSuffix("ran 0 times")
  }

  /// The bug that was met in an earlier design: a worker, invited for an item that
  /// was run long ago, overwrites the `pending` of another whose item it cannot see.
  @Test func ownershipTakenByAPlainStoreLosesAnItem() {
    let verdict = scenario([.producer([1, 3]), .producer([2])], mistake: .ownershipByStore)
      .program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  @Test func anOwnerThatLeavesWithoutALookAtPendingLosesAnItem() {
    let verdict = scenario([.producer([1]), .producer([2])], mistake: .leavesRegardless)
      .program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  @Test func aProducerThatReliesOnAnOwnerItSawLosesItsItem() {
    let verdict = scenario([.producer([1]), .producer([2])], mistake: .announcesOnlyToIdle)
      .program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  @Test func aWaiterThatTakesAGrantForItsOwnDoingLeavesItsStackTooEarly() {
    let verdict = scenario([.producer([1]), .alone(2)], mistake: .grantTakenForOwn)
      .program(.asBuilt).explored()
    #expect(verdict.flaw == .useAfterFree(of: "waiter 2"), "\(verdict)")
  }

  @Test func aWaiterThatDoesNotLookForItsGrantRemovesItselfTwice() {
    let verdict = scenario(
      [.producer([1]), .shared(2)], barriers: [1], mistake: .grantNotLookedFor
    ).program(.asBuilt).explored()
    #expect(verdict.stuckThreads == ["sync 2 beside others"], "\(verdict)")
  }
}
