// SlotProtocolTests — the pool's idle protocol loses no submission when a worker parks.

import Testing

@Suite struct SlotProtocolTests {
  /// The host submits to its slot and computes forever. The spinning worker, which is about to
  /// park, must come and take the item.
  private func lonelySlot(
    helperSlot: Bool = false, mistake: SlotProtocol.Mistake? = nil
  ) -> Scenario<SlotSite> {
    Scenario("a slot whose worker does not come back, helperSlot: \(helperSlot)") { p, orderings in
      let pool = SlotProtocol(&p, hasSpinner: true, orderings, mistake)
      p.thread("host") { t in
        if helperSlot { try pool.submitForHelper(t) } else { try pool.submitToSlot(t) }
      }
      p.thread("spinning worker") { t in
        try t.require(try pool.next(t) == .fromSlot, "the item came from elsewhere")
      }
      p.atEnd { end in end[pool.slot] == 0 ? nil : "the slot is still occupied" }
    }
  }

  /// The host comes back to its slot; one of the two workers gets the item.
  private var contestedSlot: Scenario<SlotSite> {
    Scenario("a slot whose worker comes back") { p, orderings in
      let pool = SlotProtocol(&p, hasSpinner: true, orderings)
      p.thread("host") { t in
        try pool.submitToSlot(t)
        t.observe(try pool.takeOwn(t) ? 1 : 0)
      }
      p.thread("spinning worker", mayRemainBlocked: true) { t in
        t.observe(try pool.next(t) == .fromSlot ? 1 : 0)
      }
      p.atEnd { end in
        end[pool.slot] == 0 && end[pool.contents] == 0 ? nil : "the item was not run"
      }
    }
  }

  /// Two outside threads submit while the spinning worker parks; it runs both items.
  private func lines(mistake: SlotProtocol.Mistake? = nil) -> Scenario<SlotSite> {
    Scenario("submissions from outside") { p, orderings in
      let pool = SlotProtocol(&p, hasSpinner: true, orderings, mistake)
      for name in ["one", "two"] { p.thread(name) { t in try pool.submitShared(t) } }
      let run: ModelThread.Section = { t in
        try t.require(try pool.next(t) == .fromLines, "the item came from elsewhere")
      }
      p.thread("spinning worker", sections: [run, run])
      p.atEnd { end in end[pool.pending] == 0 ? nil : "a line is not empty" }
    }
  }

  /// The parked worker may retire at any time; then the pool must start a new one.
  private var retirement: Scenario<SlotSite> {
    Scenario("a submission while the parked worker retires") { p, orderings in
      let pool = SlotProtocol(&p, hasSpinner: false, orderings)
      p.thread("submitter") { t in try pool.submitShared(t) }
      p.thread("idler") { t in
        t.observe(try pool.next(t, mayRetire: true) == .retired ? 1 : 0)
      }
      p.atEnd { end in
        end[pool.pending] == 0 || end[pool.starts] == 1
          ? nil : "nobody comes for the submission"
      }
    }
  }

  private var scenarios: [Scenario<SlotSite>] {
    [lonelySlot(), lonelySlot(helperSlot: true), contestedSlot, lines(), retirement]
  }

  @Test func noSubmissionIsLostOnAWorkerThatParks() {
    expectHolds(scenarios)
  }

  @Test func theItemInASlotIsRunByExactlyOne() {
    let verdict = contestedSlot.program(.asBuilt).explored()
    // The host and the spinning worker. A spinning worker that still sleeps has observed nothing.
    #expect(verdict.outcomes == [[1], [0, 1]])
  }

  @Test func aParkedWorkerRetiresOrIsWokenButNotBoth() {
    let verdict = retirement.program(.asBuilt).explored()
    #expect(verdict.outcomes == [[0], [1]])
  }

  /// The word carries no data: a thread that sees it change takes the pool's lock next and
  /// learns everything from that. A worker finds in its own slot only what it put there.
  @Test func everyOrderingOfTheIdleProtocolIsNeeded() {
    expectEachWeakeningFails(
      scenarios, except: ["rouse relaxed", "loadWord relaxed", "takeOwn relaxed"])
  }

  @Test func parkingWithoutASecondCheckLosesTheSlot() {
    let verdict = lonelySlot(mistake: .noSecondLook).program(.asBuilt).explored()
    #expect(verdict.stuckThreads == ["spinning worker"], "\(verdict)")
  }

  @Test func trustingAWakeLetsAnIdleWorkerRun() {
    let verdict = lines(mistake: .wakeIsBelieved).program(.asBuilt).explored()
    #expect(verdict.flaw == .violation("a worker on the idle list runs"), "\(verdict)")
  }

  @Test func storingAsleepOutsideTheLockOverwritesTheWake() {
    let verdict = lines(mistake: .wordAfterTheLock).program(.asBuilt).explored()
    #expect(verdict.stuckThreads == ["spinning worker"], "\(verdict)")
  }
}
