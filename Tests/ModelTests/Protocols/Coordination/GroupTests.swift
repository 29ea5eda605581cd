// GroupTests — waiters and notices learn once that the group is empty, and then see what the
// members did.

import Testing

@Suite struct GroupTests {
  /// Two members leave while others wait.
  private func waiting(
    timed: Bool = false, waiters: Int = 1, mistake: GroupModel.Mistake? = nil
  ) -> Scenario<GroupSite> {
    Scenario("\(waiters) wait, timed: \(timed)") { p, orderings in
      let group = GroupModel(&p, members: 2, works: 2, notices: 0, orderings, mistake)
      for member in 0..<2 {
        p.thread("member \(member)") { t in
          try group.does(member, t)
          try group.leave(t)
        }
      }
      for waiter in 0..<waiters {
        p.thread("waiter \(waiter)") { t in
          let emptied = try group.wait(t, timed: timed)
          try t.require(timed || emptied, "an untimed wait timed out")
          if emptied {
            try group.sees(0, t)
            try group.sees(1, t)
          }
        }
      }
    }
  }

  /// A notice is set while its member leaves.
  private func notifying(mistake: GroupModel.Mistake? = nil) -> Scenario<GroupSite> {
    Scenario("a notice against a leave") { p, orderings in
      let group = GroupModel(&p, members: 1, works: 1, notices: 1, orderings, mistake)
      p.thread("member") { t in
        try group.does(0, t)
        try group.leave(t)
      }
      p.thread("notifier") { t in try group.notify(0, t) }
      p.atEnd { end in submittedOnce(group, end) }
    }
  }

  /// Two members, a notice and a waiter.
  private var both: Scenario<GroupSite> {
    Scenario("a notice and a wait against two leaves") { p, orderings in
      let group = GroupModel(&p, members: 2, works: 2, notices: 1, orderings)
      p.thread("notified member") { t in
        try group.notify(0, t)
        try group.does(0, t)
        try group.leave(t)
      }
      p.thread("member") { t in
        try group.does(1, t)
        try group.leave(t)
      }
      p.thread("waiter") { t in
        try t.require(try group.wait(t), "an untimed wait timed out")
        try group.sees(0, t)
        try group.sees(1, t)
      }
      p.atEnd { end in submittedOnce(group, end) }
    }
  }

  /// The group is entered again while the first thread that emptied it goes to submit its
  /// notices. The second member's notice must wait for its own leave.
  private func entering(mistake: GroupModel.Mistake? = nil) -> Scenario<GroupSite> {
    Scenario("a group that is entered again") { p, orderings in
      let group = GroupModel(&p, members: 1, works: 2, notices: 2, orderings, mistake)
      p.thread("first") { t in
        try group.notify(0, t)
        try group.does(0, t)
        try group.leave(t)
      }
      p.thread("second") { t in
        try group.enter(t)
        try group.notify(1, t)
        try group.does(1, t)
        try group.leave(t)
      }
      p.atEnd { end in submittedOnce(group, end) }
    }
  }

  private func submittedOnce(_ group: GroupModel, _ end: FinalState) -> String? {
    for (notice, count) in group.submitted.enumerated() where end[count] != 1 {
      return "notice \(notice) was submitted \(end[count]) times"
    }
    return nil
  }

  private var scenarios: [Scenario<GroupSite>] {
    [waiting(), waiting(timed: true), notifying(), entering(), both]
  }

  @Test func allWaitersWakeAtZeroAndSeeTheMembersWork() {
    expectHolds(scenarios)
    expectHolds([waiting(waiters: 2)])
  }

  @Test func everyOrderingOfTheGroupIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func anUnchangedGenerationLeavesTheWaiterAsleep() {
    let verdict = waiting(mistake: .generationStays).program(.asBuilt).explored()
    #expect(verdict.stuckThreads == ["waiter 0"], "\(verdict)")
  }

  @Test func anEmptierThatIgnoresGenerationsSubmitsANoticeTooEarly() {
    let verdict = entering(mistake: .generationIsIgnored).program(.asBuilt).explored()
    switch verdict.flaw {
    case .dataRace(on: "work 1"), .violation("work 1 is not done"): break
    default: Issue.record("\(verdict)")
    }
  }

  @Test func aNoticeAnnouncedBeforeItIsInTheListIsMissed() {
    let verdict = notifying(mistake: .noticeOutsideTheLock).program(.asBuilt).explored()
    #expect(
      verdict.flaw == .violation("notice 0 was submitted 0 times"), "\(verdict)")
  }
}
