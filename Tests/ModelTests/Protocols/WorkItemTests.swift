// DispatchWorkItem — the model of cancelling in
// `SignalboxDispatch/Items/DispatchWorkItem.swift`: the closure is freed once, and
// under no run.

import Testing

enum WorkItemSite: Site {
  case end, cancel, drop

  var access: Access { .update }
  var ordering: Ordering { .acquireRelease }  // WI1
}

struct WorkItemModel: Sendable {
  enum Bits {
    static let runsMask = 0xF
    static let cancelled = 0x10
    static let dropped = 0x20
  }

  let state: Atomic
  /// 1 until the closure is freed.
  let work: Plain
  let orderings: Orderings<WorkItemSite>

  func run(_ t: ModelThread) throws {
    let old = try t.transform(state, .relaxed) { $0 & Bits.cancelled == 0 ? $0 + 1 : nil }
    guard old & Bits.cancelled == 0 else { return }
    try t.require(try t.read(work) == 1, "a freed closure is called")
    let before = try t.fetchAdd(state, -1, orderings[.end])
    if before & Bits.cancelled != 0 && before & Bits.runsMask == 1 { try drop(t) }
  }

  func cancel(_ t: ModelThread) throws {
    let old = try t.fetchOr(state, Bits.cancelled, orderings[.cancel])
    if old & (Bits.cancelled | Bits.runsMask) == 0 { try drop(t) }
  }

  private func drop(_ t: ModelThread) throws {
    let old = try t.fetchOr(state, Bits.dropped, orderings[.drop])
    if old & Bits.dropped == 0 {
      try t.require(try t.read(work) == 1, "the closure is freed twice")
      try t.write(0, to: work)
    }
  }
}

@Suite struct WorkItemTests {
  private func scenario(runs: Int, cancels: Int) -> Scenario<WorkItemSite> {
    Scenario("\(runs) runs, \(cancels) cancels") { p, orderings in
      let item = WorkItemModel(
        state: p.atomic("state"), work: p.plain("closure", 1), orderings: orderings)
      for run in 0..<runs { p.thread("run \(run)") { t in try item.run(t) } }
      for cancel in 0..<cancels { p.thread("cancel \(cancel)") { t in try item.cancel(t) } }
      p.atEnd { end in end[item.work] == 0 ? nil : "the closure was not freed" }
    }
  }

  private var scenarios: [Scenario<WorkItemSite>] {
    [
      scenario(runs: 1, cancels: 1), scenario(runs: 2, cancels: 1),
      scenario(runs: 1, cancels: 2), scenario(runs: 2, cancels: 2),
    ]
  }

  @Test func aCancelledClosureIsFreedOnceAndUnderNoRun() {
    expectHolds(scenarios)
  }

  /// Whoever drops the closure must acquire the ends of all runs. It does so twice, by
  /// the step that tells it to drop and by the drop itself, so that either may be
  /// weakened, but not both; and nothing is published by a cancel or a drop.
  @Test func everyOrderingOfTheWorkItemIsNeeded() {
    expectEachWeakeningFails(
      scenarios,
      except: [
        "end release", "cancel acquire", "cancel release", "drop acquire", "drop release",
      ])
  }
}
