// QueueTests — the queue's ownership: some thread always has to run each item, no thread waits
// forever in sync, and exclusive work runs alone.

import Testing

@Suite struct QueueTests {
  /// A thread of a scenario.
  enum Role: Sendable {
    /// Appends these items in order.
    case producer([Int])
    /// Runs work alone or beside others, as this item if it has to wait.
    case alone(Int), shared(Int)
    /// Appends the first item and then runs work alone, as the second item if it has to wait.
    case producerThenAlone(Int, Int)
    /// Runs work alone or beside others from the beginning, and gives the queue up.
    case holder(Int), sharer(Int)
    /// Suspends the queue and resumes it.
    case halter
  }

  /// Threads that use one queue, and workers that drain it.
  private func scenario(
    _ roles: [Role], workers: Int = 1, barriers: Set<Int>? = nil, turnsEnd: Bool = false,
    mayAdvance: Bool = true, waitersStayAwake: Bool = false, mostShares: Int? = nil,
    mistake: QueueModel.Mistake? = nil
  ) -> Scenario<QueueSite> {
    var items = 0
    var waiters: [Int] = []
    var word = 0
    for role in roles {
      switch role {
      case .producer(let list): items += list.count
      case .alone(let item), .shared(let item):
        items += 1
        waiters.append(item)
      case .producerThenAlone(_, let item):
        items += 2
        waiters.append(item)
      case .holder(let item):
        items += 1
        waiters.append(item)
        word = QueueModel.Waiter.thread(of: item)
      case .sharer(let item):
        items += 1
        waiters.append(item)
        word += QueueBits.oneShared
      case .halter: break
      }
    }
    let count = items, waiting = waiters, initial = word
    return Scenario("\(roles), \(workers) workers, \(mistake.map { "\($0)" } ?? "")") {
      p, orderings in
      var model = QueueModel(
        &p, initial, items: count, barriers: barriers, waiters: waiting, turnsEnd: turnsEnd,
        orderings, mistake)
      model.mayAdvance = mayAdvance
      model.waitersStayAwake = waitersStayAwake
      if let mostShares { model.full = mostShares * QueueBits.oneShared }
      let queue = model
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
        case .producerThenAlone(let own, let item):
          p.thread(
            "producer of \(own), sync \(item) alone",
            sections: [{ t in try queue.push(own, t) }] + queue.syncAlone(item, after: own))
        case .holder(let item):
          p.thread("holder \(item)", sections: Array(queue.syncAlone(item).dropFirst()))
        case .sharer(let item):
          p.thread("sharer \(item)", sections: Array(queue.syncShared(item).dropFirst()))
        case .halter:
          p.thread(
            "halter", sections: [{ t in try queue.suspend(t) }, { t in try queue.resume(t) }])
        }
      }
      for worker in 1..<(workers + 1) {
        p.thread(
          "worker \(worker)", mayRemainBlocked: true,
          sections: Array(
            repeating: { t in try queue.drainScheduled(worker, t) }, count: 2 * count + 1))
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
      scenario([.producerThenAlone(1, 2)]),
    ]
  }

  @Test func itemsOfASerialQueueAreNeitherLostNorOverlap() {
    expectHolds(serial)
    expectHolds([scenario([.producer([1, 3]), .producer([2])])])
  }

  @Test func noSyncOvertakesAnEarlierItemOfItsThread() {
    expectHolds([
      scenario([.producer([3]), .producerThenAlone(1, 2)], waitersStayAwake: true)
    ])
  }

  @Test func anOwnerThatYieldsLeavesNothingBehind() {
    expectHolds([
      scenario([.producer([1]), .producer([2])], workers: 2, turnsEnd: true),
      scenario([.producer([1]), .alone(2)], turnsEnd: true),
    ])
  }

  @Test func aSuspendedQueueLosesNothingThatWaits() {
    expectHolds([
      scenario([.producer([1]), .producer([2]), .halter]),
      scenario([.producer([1]), .alone(2), .halter], waitersStayAwake: true),
    ])
  }

  // MARK: Concurrent queues

  private var concurrent: [Scenario<QueueSite>] {
    [
      scenario([.shared(1), .shared(2)], workers: 0, barriers: []),
      scenario([.shared(1), .alone(2)], workers: 0, barriers: [2]),
      scenario([.producer([1, 2])], workers: 2, barriers: []),
      scenario([.producer([1, 2])], workers: 2, barriers: [2]),
      scenario([.producer([1]), .shared(2)], barriers: [1]),
      scenario([.producer([1]), .alone(2)], barriers: [2]),
    ]
  }

  @Test func aThreadThatMayNotServeIsServedByOthers() {
    expectHolds([
      scenario([.producer([1]), .alone(2)], mayAdvance: false),
      scenario([.producer([1]), .shared(2)], barriers: [1], mayAdvance: false),
    ])
  }

  @Test func aThreadThatServesWakesTheWaiterBehindIt() {
    expectHolds([
      scenario([.holder(1), .alone(2), .alone(3)], workers: 0, waitersStayAwake: true),
      scenario(
        [.holder(1), .shared(2), .alone(3)], workers: 0, barriers: [1, 3],
        waitersStayAwake: true),
      scenario(
        [.sharer(1), .alone(2), .shared(3)], workers: 0, barriers: [2],
        waitersStayAwake: true),
      scenario(
        [.sharer(1), .alone(2), .alone(3)], workers: 0, barriers: [2, 3],
        waitersStayAwake: true),
      scenario([.sharer(1), .producer([2]), .alone(3)], barriers: [2, 3], waitersStayAwake: true),
      scenario(
        [.producer([1]), .alone(2)], barriers: [2], turnsEnd: true, waitersStayAwake: true),
    ])
  }

  @Test func aBarrierRunsAloneAndTheOthersAfterIt() {
    expectHolds(concurrent)
    expectHolds([scenario([.producer([1, 2, 3])], workers: 2, barriers: [2])])
  }

  // MARK: Full queues

  private var full: [Scenario<QueueSite>] {
    [
      scenario([.producer([1, 2])], workers: 2, barriers: [], mostShares: 1),
      scenario([.sharer(1), .shared(2)], workers: 0, barriers: [], mostShares: 1),
      scenario([.sharer(1), .producer([2])], barriers: [], mostShares: 1),
      scenario([.producer([1]), .shared(2)], barriers: [], mostShares: 1),
    ]
  }

  @Test func anItemOfAFullQueueRunsWhenAShareIsReleased() {
    expectHolds(full)
    expectHolds([
      scenario(
        [.shared(1), .shared(2), .shared(3)], workers: 0, barriers: [], waitersStayAwake: true,
        mostShares: 2),
      scenario(
        [.sharer(1), .sharer(2), .producer([3])], barriers: [], waitersStayAwake: true,
        mostShares: 2),
      scenario(
        [.sharer(1), .shared(2), .shared(3)], workers: 0, barriers: [], waitersStayAwake: true,
        mostShares: 1),
      scenario([.producer([1, 2, 3])], workers: 2, barriers: [], mostShares: 1),
    ])
  }

  @Test func aFullQueueKeepsToBarriersAndSuspensions() {
    expectHolds([
      scenario(
        [.sharer(1), .alone(2), .shared(3)], workers: 0, barriers: [2], waitersStayAwake: true,
        mostShares: 1),
      scenario([.producer([1, 2, 3])], workers: 2, barriers: [2], mostShares: 1),
      scenario([.sharer(1), .producer([2]), .halter], barriers: [], mostShares: 1),
      scenario([.sharer(1), .shared(2), .halter], barriers: [], mostShares: 1),
    ])
  }

  /// The owner grants the only share, and the waiter gives it up before the owner leaves.
  @Test func anOwnerThatLeavesAFullQueueWithoutACheckLeavesAWaiterAsleep() {
    func handingOn(_ mistake: QueueModel.Mistake?) -> Verdict {
      scenario(
        [.holder(1), .shared(2), .shared(3)], workers: 0, barriers: [1], waitersStayAwake: true,
        mostShares: 1, mistake: mistake
      ).program(.asBuilt).explored()
    }
    #expect(handingOn(nil).holds)
    let verdict = handingOn(.leavesFullRegardless)
    #expect(verdict.stuckThreads?.isEmpty == false, "\(verdict)")
  }

  @Test func aShareReleasedWithoutCheckingForWaitersLosesAnItem() {
    let verdict = scenario(
      [.sharer(1), .producer([2])], barriers: [], mostShares: 1, mistake: .fullTakenForServed
    ).program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  // MARK: Orderings

  /// Before it falls asleep, a waiter writes nothing that its granter reads. A waiter that has
  /// taken the queue has acquired from the granter, which owned the queue. A thread that finds
  /// the list empty continues with a compare-and-swap of the word, which finds the newest value
  /// and acquires from the thread that emptied the list.
  @Test func everyOrderingOfTheQueueIsNeeded() {
    expectEachWeakeningFails(
      serial + concurrent,
      except: ["grant release", "lookForGrant relaxed", "lookAtList relaxed"])
  }

  // MARK: Mistakes

  private func losesAnItem(_ verdict: Verdict) -> Bool {
    guard case .violation(let what) = verdict.flaw else { return false }
    return what.hasSuffix("ran 0 times")
  }

  /// An earlier design had this bug: a worker that was scheduled for an item that has run
  /// already overwrites the `pending` bit of another item that it cannot see.
  @Test func ownershipTakenByAPlainStoreLosesAnItem() {
    let verdict = scenario([.producer([1, 3]), .producer([2])], mistake: .ownershipByStore)
      .program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  @Test func anOwnerThatLeavesWithoutCheckingPendingLosesAnItem() {
    let verdict = scenario([.producer([1]), .producer([2])], mistake: .leavesRegardless)
      .program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  @Test func aProducerThatReliesOnAnOwnerItSawLosesItsItem() {
    let verdict = scenario([.producer([1]), .producer([2])], mistake: .announcesOnlyToIdle)
      .program(.asBuilt).explored()
    #expect(losesAnItem(verdict), "\(verdict)")
  }

  @Test func aWaiterThatMistakesAGrantForItsOwnTakingLosesTheQueue() {
    let verdict = scenario([.producer([1]), .alone(2)], mistake: .grantTakenForOwn)
      .program(.asBuilt).explored()
    #expect(verdict.flaw == .violation("12 runs alone on the queue that 0 holds"), "\(verdict)")
  }

  @Test func aFastPathThatIgnoresTheListOvertakesItsOwnItem() {
    let verdict = scenario(
      [.producer([3]), .producerThenAlone(1, 2)], waitersStayAwake: true,
      mistake: .listNotLookedAt
    ).program(.asBuilt).explored()
    #expect(verdict.flaw == .violation("item 1 was overtaken"), "\(verdict)")
  }

  // MARK: Mistakes of a draining waiter

  /// The look saves the waiter a visit to the list. There it would not find itself, nor run
  /// anything while it has a share, and it would find the grant before it sleeps.
  @Test func aWaiterThatDoesNotLookForItsGrantFindsItBeforeItSleeps() {
    expectHolds([
      scenario([.producer([1]), .shared(2)], barriers: [1], mistake: .grantNotLookedFor)
    ])
  }

  @Test func aWaiterThatTakesAnOwnedQueueOverlapsItsOwner() {
    let verdict = scenario([.producer([1]), .alone(2)], mistake: .takesThoughOwned)
      .program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func aWaiterThatIgnoresSharesOverlapsThem() {
    let verdict = scenario(
      [.producer([1]), .alone(2)], barriers: [2], mistake: .sharesNotLookedFor
    ).program(.asBuilt).explored()
    #expect(verdict.flaw == .dataRace(on: "guarded"), "\(verdict)")
  }

  @Test func aWaiterThatForgetsThoseBehindItLeavesThemAsleep() {
    let verdict = scenario(
      [.holder(1), .alone(2), .alone(3)], workers: 0, waitersStayAwake: true,
      mistake: .forgetsThoseBehind
    ).program(.asBuilt).explored()
    #expect(verdict.stuckThreads?.isEmpty == false, "\(verdict)")
  }
}
