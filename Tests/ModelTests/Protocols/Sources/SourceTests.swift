// SourceTests — a source loses no event; its handlers run one at a time, see what came before,
// and are freed once; and the cancel handler comes last.

import Testing

@Suite struct SourceTests {
  private typealias Bits = SourceModel.Bits
  private typealias Mistake = SourceModel.Mistake

  /// Workers of a queue that runs items concurrently.
  private func workers(
    _ count: Int, runs: Int, _ source: SourceModel, _ p: inout Program
  ) {
    for worker in 0..<count {
      p.thread(
        "worker \(worker)", mayRemainBlocked: true,
        sections: Array(repeating: { t in try source.run(t) }, count: runs))
    }
  }

  /// Two threads merge once each.
  private func merging(workers count: Int, _ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("two merges, \(count) workers") { p, orderings in
      let source = SourceModel(&p, Bits.installed, payloads: 2, orderings, mistake)
      for payload in 0..<2 {
        p.thread("merger \(payload)") { t in try source.merge(payload, t) }
      }
      workers(count, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end) ?? (end[source.told] == 3 ? nil : "told \(end[source.told])")
      }
    }
  }

  /// A thread merges data while another suspends and resumes the source.
  private var suspended: Scenario<SourceSite> {
    Scenario("a merge while it is suspended and resumed") { p, orderings in
      let source = SourceModel(&p, Bits.installed, payloads: 1, orderings)
      p.thread("merger") { t in try source.merge(0, t) }
      p.thread("suspender", sections: [source.suspend, source.resume])
      workers(2, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end) ?? (end[source.told] == 1 ? nil : "told \(end[source.told])")
      }
    }
  }

  /// The handler suspends the source at the end of its stream, and another thread resumes it. The
  /// kernel's event for that end may come at any time.
  private func resumedAtEnd(_ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("suspended by its handler at the end, and resumed") { p, orderings in
      let source = SourceModel(&p, Self.due, isAtEnd: true, orderings, mistake)
      let stream = source.streamEnd!
      p.thread("resumer") { t in try source.resumeAtEnd(stream, t) }
      p.thread("poller") { t in try source.wake(t) }
      workers(1, runs: 4, source, &p)
      p.atEnd { end in
        source.leftovers(end)
          ?? (end[stream.reports] == 2 ? nil : "\(end[stream.reports]) reports of the end")
      }
    }
  }

  /// The source is activated, receives an event, and is cancelled.
  private func cancelled(
    isHeavy: Bool = false, _ mistake: Mistake? = nil
  ) -> Scenario<SourceSite> {
    Scenario("activated, told and cancelled, heavy: \(isHeavy)") { p, orderings in
      let source = SourceModel(
        &p, Bits.inactive, handlers: 2, end: 1, payloads: 1, isHeavy: isHeavy, orderings, mistake)
      p.thread("activator") { t in try source.activate(t) }
      p.thread("merger") { t in try source.merge(0, t) }
      p.thread("canceller") { t in try source.cancel(t) }
      workers(1, runs: 3, source, &p)
      p.atEnd { end in
        source.leftovers(end) ?? (end[source.ends] == 1 ? nil : "the cancel handler did not run")
      }
    }
  }

  /// The handler is replaced while it runs, and the source is released.
  private func replaced(letsGo: Bool, _ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("a handler is replaced, let go of: \(letsGo)") { p, orderings in
      let source = SourceModel(
        &p, Bits.installed | Bits.enqueued | Bits.event, handlers: 2, payloads: 2, merged: 1,
        orderings, mistake)
      p.thread("setter") { t in try source.setEventHandler(1, t) }
      if letsGo {
        p.thread("holder") { t in try source.abandon(t) }
      } else {
        p.thread("merger") { t in try source.merge(1, t) }
      }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in source.leftovers(end) }
    }
  }

  /// The source has no handler until one is set.
  private func unheard(_ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("a merge before there is a handler") { p, orderings in
      let source = SourceModel(
        &p, Bits.installed, event: -1, payloads: 1, orderings, mistake)
      p.thread("setter") { t in try source.setEventHandler(0, t) }
      p.thread("merger") { t in try source.merge(0, t) }
      workers(1, runs: 3, source, &p)
      p.atEnd { end in
        source.leftovers(end) ?? (end[source.told] == 1 ? nil : "told \(end[source.told])")
      }
    }
  }

  /// The registration handler is set while the source is activated.
  private func registered(_ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("a registration handler against the activation") { p, orderings in
      let source = SourceModel(&p, Bits.inactive, handlers: 2, orderings, mistake)
      p.thread("setter") { t in try source.setRegistrationHandler(1, t) }
      p.thread("activator") { t in try source.activate(t) }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end)
          ?? (end[source.registrations] == 1
            ? nil : "told of \(end[source.registrations]) registrations")
      }
    }
  }

  /// A source that its run installs is activated, then cancelled or released.
  private func heavy(letsGo: Bool) -> Scenario<SourceSite> {
    Scenario("installed by its run, let go of: \(letsGo)") { p, orderings in
      let source = SourceModel(
        &p, Bits.inactive, handlers: 3, registration: 1, end: 2, isHeavy: true, orderings)
      p.thread(
        "holder", sections: [source.activate, letsGo ? source.abandon : source.cancel])
      workers(2, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end)
          ?? (letsGo || end[source.ends] == 1 ? nil : "the cancel handler did not run")
      }
    }
  }

  /// A source that its run installs is suspended and resumed.
  private var heavyAndSuspended: Scenario<SourceSite> {
    Scenario("installed by its run, suspended and resumed") { p, orderings in
      let source = SourceModel(
        &p, Bits.inactive, handlers: 2, registration: 1, isHeavy: true, orderings)
      p.thread("holder") { t in try source.activate(t) }
      p.thread("suspender", sections: [source.suspend, source.resume])
      workers(1, runs: 3, source, &p)
      p.atEnd { end in
        source.leftovers(end)
          ?? (end[source.registrations] == 1
            ? nil : "told of \(end[source.registrations]) registrations")
      }
    }
  }

  /// The cancel handler is set while the source is cancelled.
  private func endSet(_ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("a cancel handler against the cancellation") { p, orderings in
      let source = SourceModel(&p, Bits.installed, handlers: 3, end: 1, orderings, mistake)
      p.thread("setter") { t in try source.setCancelHandler(2, t) }
      p.thread("canceller") { t in try source.cancel(t) }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end) ?? (end[source.ends] == 1 ? nil : "the cancel handler did not run")
      }
    }
  }

  /// A source without a cancel handler is cancelled while a thread sets a handler: the first
  /// cancel handler, or a registration handler.
  private func setLate(forTheEnd: Bool, _ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("a handler against the end, for that: \(forTheEnd)") { p, orderings in
      let source = SourceModel(&p, Bits.installed, handlers: 2, orderings, mistake)
      p.thread("setter") { t in
        if forTheEnd {
          try source.setCancelHandler(1, t)
        } else {
          try source.setRegistrationHandler(1, t)
        }
      }
      p.thread("canceller") { t in try source.cancel(t) }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in source.leftovers(end) }
    }
  }

  /// The program cancels the source and releases it.
  private func letGo(_ mistake: Mistake? = nil) -> Scenario<SourceSite> {
    Scenario("cancelled and let go of") { p, orderings in
      let source = SourceModel(&p, Bits.installed, handlers: 2, end: 1, orderings, mistake)
      p.thread("holder", sections: [source.cancel, source.abandon])
      workers(1, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end) ?? (end[source.ends] == 1 ? nil : "the cancel handler did not run")
      }
    }
  }

  /// The driver cancels the source because its descriptor is gone, while the program releases
  /// it.
  private var goneWhileLetGo: Scenario<SourceSite> {
    Scenario("gone while it is let go of") { p, orderings in
      let source = SourceModel(&p, Bits.installed, handlers: 2, end: 1, orderings)
      p.thread("holder") { t in try source.abandon(t) }
      p.thread("driver") { t in try source.cancel(t) }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in source.leftovers(end) }
    }
  }

  /// A target is set while events occur.
  private var retargeted: Scenario<SourceSite> {
    Scenario("a new target") { p, orderings in
      let source = SourceModel(&p, Bits.installed, payloads: 1, orderings)
      p.thread("setter") { t in try source.setTarget(1, t) }
      p.thread("merger") { t in try source.merge(0, t) }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in source.leftovers(end) }
    }
  }

  /// A thread cancels the source and waits for the handler, and then frees what it uses; another
  /// one cancels the source, or waits too, or makes it active.
  private func awaited(
    by other: (@Sendable (SourceModel, ModelThread) throws -> Void)? = nil, _ bits: Int,
    called name: String, _ mistake: Mistake? = nil
  ) -> Scenario<SourceSite> {
    Scenario("cancelled and waited for, \(name)") { p, orderings in
      let source = SourceModel(&p, bits, payloads: 1, merged: 1, orderings, mistake)
      p.thread(
        "waiter",
        sections: [source.cancelAndWait] + (other == nil ? [source.freeUsed] : []))
      if let other { p.thread("other") { t in try other(source, t) } }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in source.leftovers(end) }
    }
  }

  private static let due = Bits.installed | Bits.enqueued | Bits.event

  /// C code releases its last reference while a handler is due, after it cancelled the source or
  /// without that.
  private func givenUp(
    cancelled: Bool, hasEnd: Bool, _ mistake: Mistake? = nil
  ) -> Scenario<SourceSite> {
    Scenario("given up, cancelled: \(cancelled), with a handler: \(hasEnd)") { p, orderings in
      let source = SourceModel(
        &p, Self.due, handlers: hasEnd ? 2 : 1, end: hasEnd ? 1 : nil, payloads: 1, merged: 1,
        orderings, mistake)
      p.thread("holder", sections: (cancelled ? [source.cancel] : []) + [source.giveUp])
      workers(1, runs: 3, source, &p)
      p.atEnd { end in
        source.leftovers(end)
          ?? (end[source.object] == 0 ? nil : "the source object is not released")
      }
    }
  }

  /// The driver cancels the source, because its descriptor is gone, while C code gives it up.
  private var goneWhileGivenUp: Scenario<SourceSite> {
    Scenario("gone while it is given up") { p, orderings in
      let source = SourceModel(&p, Bits.installed, handlers: 2, end: 1, orderings)
      p.thread("holder") { t in try source.giveUp(t) }
      p.thread("driver") { t in try source.cancel(t) }
      workers(1, runs: 2, source, &p)
      p.atEnd { end in
        source.leftovers(end)
          ?? (end[source.object] == 0 ? nil : "the source object is not released")
      }
    }
  }

  private var givenUpAndAwaited: [Scenario<SourceSite>] {
    [
      awaited(Self.due, called: "due"), awaited(Bits.inactive, called: "inactive"),
      awaited(by: { try $0.cancel(mayBeAwaited: true, $1) }, Self.due, called: "cancelled"),
      awaited(by: { try $0.cancelAndWait($1) }, Bits.installed, called: "by two"),
      givenUp(cancelled: false, hasEnd: false), givenUp(cancelled: false, hasEnd: true),
      givenUp(cancelled: true, hasEnd: false), givenUp(cancelled: true, hasEnd: true),
      goneWhileGivenUp,
    ]
  }

  @Test func aHandlerNeverRunsAfterTheWaitOrWithoutTheSourceObject() {
    expectHolds(givenUpAndAwaited)
  }

  @Test func aRunThatDoesNotSayThatItBeginsIsNotWaitedFor() {
    #expect(flaw(awaited(Self.due, called: "due", .runsUnmarked)) != nil)
  }

  @Test func aSourceThatEndsBeforeItIsUninstalledIsNotWaitedFor() {
    let both = awaited(
      by: { try $0.cancelAndWait($1) }, Bits.installed, called: "by two", .endedBeforeUninstalled)
    #expect(flaw(both) != nil)
  }

  @Test func aRunThatWakesNobodyLeavesTheWaiterAsleep() {
    #expect(flaw(awaited(Self.due, called: "due", .endsUntold)) != nil)
  }

  @Test func aSourceObjectThatIsReleasedWhileAHandlerRunsIsGoneTooEarly() {
    #expect(flaw(givenUp(cancelled: false, hasEnd: false, .releasedWhileRunning)) != nil)
    #expect(flaw(givenUp(cancelled: true, hasEnd: true, .endsUnmarked)) != nil)
  }

  private var scenarios: [Scenario<SourceSite>] {
    [
      retargeted, registered(), unheard(), endSet(), letGo(), goneWhileLetGo, suspended,
      merging(workers: 1), merging(workers: 2), replaced(letsGo: false),
      replaced(letsGo: true), cancelled(), setLate(forTheEnd: false), setLate(forTheEnd: true),
      cancelled(isHeavy: true), heavy(letsGo: false), heavy(letsGo: true), heavyAndSuspended,
    ]
  }

  @Test func noEventIsLostAndTheCancelHandlerRunsOnceAndLast() {
    expectHolds(scenarios)
  }

  @Test func anEndIsReportedOnceMoreAfterAResumption() { expectHolds([resumedAtEnd()]) }

  @Test func aResumptionThatOnlyReadsTheStateMayLoseAnEnd() {
    #expect(flaw(resumedAtEnd(.resumedByLook)) == .violation("1 reports of the end"))
  }

  @Test func everyOrderingOfTheSourceIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  private func flaw(_ scenario: Scenario<SourceSite>) -> Flaw? {
    scenario.program(.asBuilt).explored().flaw
  }

  @Test func takingDataBeforeTheEventIsClearedLosesAMerge() {
    #expect(flaw(merging(workers: 1, .takenBeforeCleared)) != nil)
  }

  @Test func anInstallerThatLooksForTheRegistrationHandlerMissesOne() {
    #expect(
      flaw(registered(.registrationIsLookedFor)) == .violation("told of 0 registrations"))
  }

  @Test func aRunWithoutAHandlerThatTakesTheDataLosesIt() {
    #expect(flaw(unheard(.takenWithoutHandler)) == .violation("told 0"))
  }

  @Test func aSetterThatOnlyReadsTheStateIsMissed() {
    #expect(flaw(unheard(.handlerSetByLook)) == .violation("told 0"))
  }

  @Test(arguments: [false, true])
  func aSetterThatOnlyReadsTheStateMayLeakTheHandlerOfACancelledSource(forTheEnd: Bool) {
    #expect(
      flaw(setLate(forTheEnd: forTheEnd, .handlerDroppedByLook))
        == .violation("cancelled, and a handler is not freed"))
  }

  @Test func aCancelledSourceKeepsItsCancelHandlerWhenItIsReleased() {
    #expect(
      flaw(letGo(.abandonedThoughCancelled)) == .violation("the cancel handler did not run"))
  }

  @Test func aSourceThatEndsBeforeItTakesTheCancelHandlerMayCallNeitherOldNorNew() {
    #expect(
      flaw(endSet(.endedBeforeTaken)) == .violation("the cancel handler did not run"))
  }

  @Test func aSourceAtRestDoesNotEndWithoutItsCancelHandler() {
    #expect(
      flaw(letGo(.endedWithItsHandler))
        == .violation("cancelled, and a handler is not freed"))
  }

  @Test func aCancelHandlerThatDoesNotWaitForUninstallingRunsTooEarly() {
    #expect(flaw(cancelled(isHeavy: false, .endedWhileChanging)) != nil)
  }

  @Test func puttingAHandlerBackBlindlyRestoresAnOldOne() {
    #expect(flaw(replaced(letsGo: true, .putBackByStore)) != nil)
  }
}
