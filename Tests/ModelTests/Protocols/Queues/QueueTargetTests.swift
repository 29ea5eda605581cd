// QueueTargetTests — a queue with a target: its drain task is in the target's list, and a thread
// that waits for the target may be the one that reaches it.

import Testing

@Suite struct QueueTargetTests {
  /// A serial queue and its serial target; the queue's drain task, still on its way to the
  /// target though its item has run; a thread that runs work alone on both; and a worker. Items
  /// of the target: 1 is the thread, 2 is the drain task.
  private func scenario(mistake: QueueModel.Mistake? = nil) -> Scenario<QueueSite> {
    Scenario("a queue and its target, \(mistake.map { "\($0)" } ?? "")") { p, orderings in
      var queue = QueueModel(
        &p, named: "queue's ", QueueBits.pending | QueueBits.scheduled, items: 1, waiters: [1],
        orderings, mistake)
      queue.mayAdvance = false
      var target = QueueModel(
        &p, named: "target's ", items: 2, waiters: [1], orderings, mistake)
      queue.scheduleInTarget = { [target] t in try target.push(2, t) }
      target.scheduled[2] = { [queue] thread, t in try queue.drainArrived(thread, t) }
      p.thread(
        "sync",
        sections: [{ [queue] t in try queue.schedule(t) }]
          + queue.syncAlone(1, in: target, as: 1))
      p.thread(
        "worker", mayRemainBlocked: true,
        sections: Array(repeating: { [target] t in try target.drainScheduled(1, t) }, count: 8))
      p.atEnd { [queue, target] end in queue.leftovers(end) ?? target.leftovers(end) }
    }
  }

  @Test func aThreadThatWaitsForTheTargetDoesNotServeTheQueueItHoldsAgain() {
    expectHolds([scenario()])
  }

  /// The owner of a queue runs the queue's own drain task, which was scheduled before the owner
  /// took the queue. It gives the queue up when it finds nothing to do.
  @Test func aDrainTaskThatTakesItsThreadsTurnForItsOwnEndsIt() {
    let verdict = scenario(mistake: .ownTurnTakenForScheduled).program(.asBuilt).explored()
    #expect(verdict.flaw == .violation("11 runs alone on the queue that 0 holds"), "\(verdict)")
  }
}
