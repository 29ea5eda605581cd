// Permit — the model of `SignalboxPatterns/Jobs/Permit.swift`.

import Testing

enum PermitSite: Site {
  case done, workHasReturned

  var access: Access { .update }

  /// Both steps need both orderings: the later of the two lets the next job begin, and must see
  /// what came before the earlier one.
  var ordering: Ordering { .acquireRelease }  // PT1, PT2

  var operations: [String] {
    switch self {
    case .done: ["Jobs/Permit.done:PT1+PT2"]
    case .workHasReturned: ["Jobs/Permit.workHasReturned:PT1+PT2"]
    }
  }
}

struct PermitModel: Sendable {
  /// Ways to get it wrong.
  enum Mistake {
    /// `done()` loads and then stores, which overwrites a return in between.
    case doneByStore
    /// The return is a store, which overwrites an earlier `done()`.
    case returnByStore
    /// A second `done()` ends the job once more.
    case secondDoneCounts
  }

  enum State { static let working = 0, returned = 1, done = 2 }

  let state: Atomic
  /// What the work did before it returned, and what each caller did before `done()`.
  let work: Plain
  let callers: [Plain]
  /// How often the next job was allowed to begin.
  let begun: Plain
  let orderings: Orderings<PermitSite>
  var mistake: Mistake?

  func done(_ t: ModelThread, caller: Int) throws {
    try t.write(1, to: callers[caller])
    let old: Int
    if mistake == .doneByStore {
      old = try t.load(state, .acquire)
      try t.store(State.done, to: state, .release)
    } else {
      old = try t.exchange(state, State.done, orderings[.done])
    }
    if old == State.returned || (mistake == .secondDoneCounts && old == State.done) {
      try beginNext(t, after: [caller])
    }
  }

  func runWork(_ t: ModelThread) throws {
    try t.write(1, to: work)
    if mistake == .returnByStore {
      let old = try t.load(state, .acquire)
      try t.store(State.returned, to: state, .release)
      if old == State.done { try beginNext(t, after: []) }
    } else {
      let (isPending, _) = try t.compareExchange(
        state, expected: State.working, desired: State.returned, orderings[.workHasReturned])
      if !isPending { try beginNext(t, after: callers.count == 1 ? [0] : []) }
    }
  }

  /// The next job begins on this thread, or in an item that this thread submits.
  private func beginNext(_ t: ModelThread, after callers: [Int]) throws {
    let before = try t.read(begun)
    try t.write(before + 1, to: begun)
    let workIsSeen = try t.read(work)
    try t.require(workIsSeen == 1, "the next job does not see the work")
    for caller in callers {
      let isSeen = try t.read(self.callers[caller])
      try t.require(isSeen == 1, "the next job does not see what came before done")
    }
  }
}

@Suite struct PermitTests {
  /// A job's work returns while `callers` threads call `done()`.
  private func scenario(
    callers: Int, mistake: PermitModel.Mistake? = nil
  ) -> Scenario<PermitSite> {
    Scenario("\(callers) callers of done") { p, orderings in
      let permit = PermitModel(
        state: p.atomic("state"), work: p.plain("work"),
        callers: (0..<callers).map { p.plain("caller \($0)") }, begun: p.plain("begun"),
        orderings: orderings, mistake: mistake)
      p.thread("drainer") { t in try permit.runWork(t) }
      for caller in 0..<callers {
        p.thread("caller \(caller)") { t in try permit.done(t, caller: caller) }
      }
      p.atEnd { end in
        end[permit.begun] == 1 ? nil : "the next job began \(end[permit.begun]) times"
      }
    }
  }

  private var scenarios: [Scenario<PermitSite>] { [scenario(callers: 1), scenario(callers: 2)] }

  @Test func theNextJobBeginsOnceAndSeesTheLast() {
    expectHolds(scenarios)
  }

  @Test func everyOrderingOfThePermitIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func doneByStoreLosesTheReturn() {
    let verdict = scenario(callers: 1, mistake: .doneByStore).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func returnByStoreLosesTheDone() {
    let verdict = scenario(callers: 1, mistake: .returnByStore).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func secondDoneThatCountsStartsTwoJobs() {
    let verdict = scenario(callers: 2, mistake: .secondDoneCounts).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }
}
