// DispatchSemaphore — the model of
// `SignalboxDispatch/Coordination/DispatchSemaphore.swift`.

import Testing

enum SemaphoreSite: Site {
  case signal, takeFast
  case addPermit, takePermit

  var access: Access { .update }

  var ordering: Ordering {
    switch self {
    case .signal, .addPermit: .release
    case .takeFast, .takePermit: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .signal: ["Coordination/DispatchSemaphore.signal:SE1"]
    case .takeFast: ["Coordination/DispatchSemaphore.takeFast:SE1"]
    case .addPermit: ["Coordination/DispatchSemaphore.wakeOne:SE2"]
    case .takePermit: ["Coordination/DispatchSemaphore.takePermit:SE2"]
    }
  }
}

struct SemaphoreModel: Sendable {
  /// Ways to get the semaphore wrong.
  enum Mistake {
    /// A waiter that times out leaves without a look whether it was signalled.
    case givesUpRegardless
    /// The waiter removes itself even if a signal has counted on it.
    case givesUpBlindly
    /// The waiter sleeps for the permit of the signal that has counted on it, though another
    /// waiter may take that permit.
    case sleepsForThePermit
  }

  let value: Atomic
  let permits: Atomic
  let orderings: Orderings<SemaphoreSite>
  var mistake: Mistake?

  init(
    _ p: inout Program, _ initial: Int, _ orderings: Orderings<SemaphoreSite>,
    _ mistake: Mistake? = nil
  ) {
    value = p.atomic("value", initial)
    permits = p.atomic("permits")
    self.orderings = orderings
    self.mistake = mistake
  }

  func signal(_ t: ModelThread) throws {
    guard try t.fetchAdd(value, 1, orderings[.signal]) < 0 else { return }
    try t.fetchAdd(permits, 1, orderings[.addPermit])
    try t.futexWake(permits)
  }

  /// Returns whether the thread took a permit.
  func wait(_ t: ModelThread, timed: Bool = false) throws -> Bool {
    if try t.fetchAdd(value, -1, orderings[.takeFast]) > 0 { return true }
    while try !takePermit(t) {
      if try t.futexWait(permits, expected: 0, canTimeOut: timed) == .timedOut {
        return try giveUp(t)
      }
    }
    return true
  }

  private func takePermit(_ t: ModelThread) throws -> Bool {
    try t.transform(permits, orderings[.takePermit]) { $0 > 0 ? $0 - 1 : nil } > 0
  }

  private func giveUp(_ t: ModelThread) throws -> Bool {
    if mistake == .givesUpRegardless { return false }
    if mistake == .givesUpBlindly {
      try t.fetchAdd(value, 1, .relaxed)
      return false
    }
    while true {
      if try t.transform(value, .relaxed, { $0 < 0 ? $0 + 1 : nil }) < 0 { return false }
      if try takePermit(t) { return true }
      if mistake == .sleepsForThePermit {
        while try !takePermit(t) { try t.futexWait(permits, expected: 0) }
        return true
      }
      // Either a permit is about to come, or another waiter has taken it and now counts as
      // waiting in this thread's place.
      _ = try t.awaitEither(permits, .notEqual(0), or: value, .negative, .relaxed)
    }
  }
}

@Suite struct SemaphoreTests {
  /// One permit guards a plain counter.
  private func exclusion(threads: Int) -> Scenario<SemaphoreSite> {
    Scenario("\(threads) threads share one permit") { p, orderings in
      let semaphore = SemaphoreModel(&p, 1, orderings)
      let count = p.plain("count")
      for thread in 0..<threads {
        p.thread(
          "\(thread)",
          sections: [
            { t in try t.require(try semaphore.wait(t), "an untimed wait timed out") },
            { t in
              try t.write(try t.read(count) + 1, to: count)
              try semaphore.signal(t)
            },
          ])
      }
      p.atEnd { end in
        end[semaphore.value] == 1 && end[semaphore.permits] == 0
          ? nil : "value \(end[semaphore.value]), permits \(end[semaphore.permits])"
      }
    }
  }

  /// Waiters, some of them timed, and a number of signals. Each waiter observes whether it was
  /// signalled; the surplus stays in the value.
  private func handOver(
    timed: [Bool], signals: Int, mistake: SemaphoreModel.Mistake? = nil
  ) -> Scenario<SemaphoreSite> {
    Scenario("waits, timed: \(timed), against \(signals) signals") { p, orderings in
      let semaphore = SemaphoreModel(&p, 0, orderings, mistake)
      let taken = p.atomic("permits taken")
      for (index, isTimed) in timed.enumerated() {
        p.thread("waiter \(index)") { t in
          let success = try semaphore.wait(t, timed: isTimed)
          try t.require(isTimed || success, "an untimed wait timed out")
          if success { try t.fetchAdd(taken, 1, .relaxed) }
        }
      }
      for index in 0..<signals {
        p.thread("signaller \(index)") { t in try semaphore.signal(t) }
      }
      p.observeAtEnd(taken)
      p.atEnd { end in
        let left = signals - end[taken]
        return end[semaphore.value] == left && end[semaphore.permits] == 0
          ? nil
          : "\(end[taken]) permits were taken, value \(end[semaphore.value]), "
            + "permits \(end[semaphore.permits])"
      }
    }
  }

  @Test func eachSignalLetsExactlyOneWaiterGo() {
    expectHolds([
      handOver(timed: [false, false], signals: 2), handOver(timed: [true, true], signals: 1),
    ])
  }

  /// A waiter that comes later may take the permit that was promised to a waiter that timed
  /// out. That waiter must then notice that it can leave.
  @Test func sleepingForAReservedPermitOutlastsTheTimeout() {
    let verdict = handOver(timed: [true, true], signals: 1, mistake: .sleepsForThePermit)
      .program(.asBuilt).explored()
    #expect(verdict.stuckThreads?.count == 1, "\(verdict)")
  }

  @Test func aTimedOutWaiterTakesNoSignalWithIt() {
    let verdict = handOver(timed: [true], signals: 1).program(.asBuilt).explored()
    #expect(verdict.holds, "\(verdict)")
    #expect(verdict.outcomes == [[0], [1]])
  }

  @Test func theSemaphoreExcludes() {
    expectHolds([exclusion(threads: 3)])
  }

  @Test func everyOrderingOfTheSemaphoreIsNeeded() {
    expectEachWeakeningFails([exclusion(threads: 2)])
  }

  @Test(arguments: [SemaphoreModel.Mistake.givesUpRegardless, .givesUpBlindly])
  func givingUpWithoutCheckingTheValueMiscounts(mistake: SemaphoreModel.Mistake) {
    let verdict = handOver(timed: [true], signals: 1, mistake: mistake)
      .program(.asBuilt).explored()
    guard case .violation = verdict.flaw else {
      Issue.record("\(verdict)")
      return
    }
  }
}
