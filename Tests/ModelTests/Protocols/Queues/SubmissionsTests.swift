// Submissions — the model of `SignalboxDispatch/Queue/Core/Submissions.swift`. C code gives up its
// last reference in an item, while threads that have submitted items still use the queue.

import Testing

enum SubmissionsSite: Site {
  case leave, deferRelease

  var access: Access { .update }

  var ordering: Ordering { .acquireRelease }

  var operations: [String] {
    switch self {
    case .leave: ["Core/Submissions.leave:SU1"]
    case .deferRelease: ["Core/Submissions.deferRelease:SU1"]
    }
  }
}

struct SubmissionsModel: Sendable {
  /// Ways to get it wrong.
  enum Mistake {
    /// The thread that defers leaves its bit behind when nobody is submitting.
    case bitStays
  }

  static let deferred = 1
  static let oneThread = 2

  let word: Atomic
  /// How many items were appended.
  let list: Atomic
  /// Swift's references to the queue.
  let references: Atomic
  /// What the queue's memory holds: 0 once it is freed.
  let queue: Plain
  let orderings: Orderings<SubmissionsSite>
  var mistake: Mistake?

  init(
    _ p: inout Program, _ orderings: Orderings<SubmissionsSite>, references count: Int = 1,
    mistake: Mistake? = nil
  ) {
    word = p.atomic("word", isMortal: true)
    list = p.atomic("list")
    references = p.atomic("references", count)
    queue = p.plain("queue", 1)
    self.orderings = orderings
    self.mistake = mistake
  }

  func submit(_ t: ModelThread) throws {
    _ = try t.fetchAdd(word, Self.oneThread, .relaxed)
    _ = try t.fetchAdd(list, 1, .sequentiallyConsistent)
    try use(t)
    try leave(t)
  }

  private func use(_ t: ModelThread) throws {
    try t.require(try t.read(queue) == 1, "a freed queue is used")
  }

  private func leave(_ t: ModelThread) throws {
    var old = try t.load(word, .relaxed)
    while true {
      let isLast = old == Self.oneThread | Self.deferred
      let (exchanged, current) = try t.compareExchange(
        word, expected: old, desired: isLast ? 0 : old - Self.oneThread, orderings[.leave])
      if exchanged {
        if isLast { try drop(t) }
        return
      }
      old = current
    }
  }

  /// Runs the item that gives up the last reference, once so many were appended.
  func release(_ t: ModelThread, after items: Int) throws {
    _ = try t.await(list, .equal(items), .acquire)
    if try !deferRelease(t) { try drop(t) }
  }

  private func deferRelease(_ t: ModelThread) throws -> Bool {
    let old = try t.fetchOr(word, Self.deferred, orderings[.deferRelease])
    if old & Self.deferred != 0 { return false }
    if old >= Self.oneThread { return true }
    if mistake == .bitStays { return false }
    return try !t.compareExchange(word, expected: Self.deferred, desired: 0, .relaxed).exchanged
  }

  /// Drops one of Swift's references.
  func drop(_ t: ModelThread) throws {
    let old = try t.fetchAdd(references, -1, .acquireRelease)
    try t.require(old > 0, "a reference is dropped twice")
    guard old == 1 else { return }
    try t.write(0, to: queue)
    try t.free(word)
  }
}

@Suite struct SubmissionsTests {
  private func scenario(
    submitters: Int, mistake: SubmissionsModel.Mistake? = nil
  ) -> Scenario<SubmissionsSite> {
    Scenario("\(submitters) threads submit") { p, orderings in
      let model = SubmissionsModel(&p, orderings, mistake: mistake)
      for number in 0..<submitters { p.thread("submitter \(number)") { t in try model.submit(t) } }
      p.thread("worker") { t in try model.release(t, after: submitters) }
      p.atEnd { end in end[model.queue] == 0 ? nil : "the queue is not freed" }
    }
  }

  /// The item submits another one after it has given up the reference. The drain task still has
  /// one.
  private func late(_ mistake: SubmissionsModel.Mistake? = nil) -> Scenario<SubmissionsSite> {
    Scenario("an item submits after the release") { p, orderings in
      let model = SubmissionsModel(&p, orderings, references: 2, mistake: mistake)
      p.thread("submitter") { t in try model.submit(t) }
      p.thread("worker") { t in
        try model.release(t, after: 1)
        try model.submit(t)
        try model.drop(t)
      }
      p.atEnd { end in end[model.queue] == 0 ? nil : "the queue is not freed" }
    }
  }

  private var scenarios: [Scenario<SubmissionsSite>] {
    [scenario(submitters: 1), scenario(submitters: 2), late()]
  }

  @Test func aQueueIsFreedOnceAfterEveryUse() {
    expectHolds(scenarios)
  }

  @Test func everyOrderingOfTheSubmissionsIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func aBitThatStaysReleasesTwice() {
    let verdict = late(.bitStays).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }
}
