// DispatchWorkItem — the model of cancelling in
// `SignalboxDispatch/Items/DispatchWorkItem.swift`: the closure is freed once, and
// never during a run.

import Testing

enum WorkItemSite: Site {
  case end, cancel, drop
  /// A cancelled item is dequeued; the thread looks whether the item still runs.
  case lookForRuns

  var access: Access { self == .lookForRuns ? .load : .update }
  var ordering: Ordering { self == .lookForRuns ? .acquire : .acquireRelease }
  var operations: [String] {
    switch self {
    case .end: ["Items/DispatchWorkItem.end:WI1"]
    case .cancel: ["Items/DispatchWorkItem.cancel:WI1"]
    case .drop: ["Items/DispatchWorkItem.dropWork:WI1"]
    case .lookForRuns: ["Items/DispatchWorkItem.endUnlessRunning:WI1"]
    }
  }
}

struct WorkItemModel: Sendable {
  enum Bits {
    static let runsMask = 0xF
    static let cancelled = 0x10
    static let dropped = 0x20
    static let ended = 0x40
  }

  let state: Atomic
  /// Represents the group that is left when the item has ended.
  let completion: Atomic
  /// What a run does.
  let result: Plain
  /// 1 until the closure is freed.
  let work: Plain
  let orderings: Orderings<WorkItemSite>

  func run(_ t: ModelThread, writes: Bool = false) throws {
    let old = try t.transform(state, .relaxed) { $0 & Bits.cancelled == 0 ? $0 + 1 : nil }
    guard old & Bits.cancelled == 0 else { return }
    try t.require(try t.read(work) == 1, "a freed closure is called")
    if writes { try t.write(1, to: result) }
    let before = try t.fetchAdd(state, -1, orderings[.end])
    if before & Bits.cancelled != 0 && before & Bits.runsMask == 1 { try drop(t) }
    try complete(t)
  }

  /// The item is dequeued after it was cancelled.
  func dequeue(_ t: ModelThread) throws {
    if try t.load(state, orderings[.lookForRuns]) & Bits.runsMask == 0 { try complete(t) }
  }

  private func complete(_ t: ModelThread) throws {
    if try t.fetchOr(state, Bits.ended, .relaxed) & Bits.ended == 0 {
      try t.store(1, to: completion, .release)
    }
  }

  /// Waits until the item has ended. After that the results of a run are readable.
  func wait(_ t: ModelThread) throws {
    try t.await(completion, .equal(1), .acquire)
    _ = try t.read(result)
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
        state: p.atomic("state"), completion: p.atomic("completion"),
        result: p.plain("result"), work: p.plain("closure", 1), orderings: orderings)
      for run in 0..<runs { p.thread("run \(run)") { t in try item.run(t) } }
      for cancel in 0..<cancels { p.thread("cancel \(cancel)") { t in try item.cancel(t) } }
      p.atEnd { end in end[item.work] == 0 ? nil : "the closure was not freed" }
    }
  }

  /// One thread runs an item, another cancels and dequeues it, and a third waits for its end.
  private var dequeued: Scenario<WorkItemSite> {
    Scenario("a cancelled item is dequeued while it runs") { p, orderings in
      let item = WorkItemModel(
        state: p.atomic("state"), completion: p.atomic("completion"),
        result: p.plain("result"), work: p.plain("closure", 1), orderings: orderings)
      p.thread("run") { t in try item.run(t, writes: true) }
      p.thread("cancel and queue", sections: [item.cancel, item.dequeue])
      p.thread("waiter") { t in try item.wait(t) }
    }
  }

  private var scenarios: [Scenario<WorkItemSite>] {
    [
      dequeued,
      scenario(runs: 1, cancels: 1), scenario(runs: 2, cancels: 1),
      scenario(runs: 1, cancels: 2), scenario(runs: 2, cancels: 2),
    ]
  }

  @Test func aCancelledClosureIsFreedOnceUnderNoRunAndItsEndIsSeen() {
    expectHolds(scenarios)
  }

  /// The thread that drops the closure must acquire the ends of all runs. It does so twice,
  /// through the step that tells it to drop and through the drop itself. Either may be
  /// weakened, but not both. A cancel or a drop publishes nothing.
  @Test func everyOrderingOfTheWorkItemIsNeeded() {
    expectEachWeakeningFails(
      scenarios,
      except: [
        "end release", "cancel acquire", "cancel release", "drop acquire", "drop release",
      ])
  }
}
