// SharedLoop — the model of `SignalboxDispatch/Coordination/ConcurrentPerform.swift`.

import Testing

enum SharedLoopSite: Site {
  /// The count of iterations, and the thread that ended the last one.
  case count, end
  /// The caller's looks for the end.
  case lookAwake, failToSleep, lookAfterSleep
  /// The last reference frees the memory.
  case release

  var access: Access {
    switch self {
    case .count, .end, .release: .update
    case .lookAwake, .failToSleep, .lookAfterSleep: .load
    }
  }

  var ordering: Ordering {
    switch self {
    case .count, .end, .release: .acquireRelease
    case .lookAwake, .failToSleep, .lookAfterSleep: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .count: ["Coordination/ConcurrentPerform.count:CP1"]
    case .end: ["Coordination/ConcurrentPerform.count:CP1.2"]
    case .lookAwake: ["Coordination/ConcurrentPerform.awaitEnd:CP1"]
    case .failToSleep: ["Coordination/ConcurrentPerform.awaitEnd:CP1.2"]
    case .lookAfterSleep: ["Coordination/ConcurrentPerform.awaitEnd:CP1.3"]
    case .release: ["Coordination/ConcurrentPerform.release:CP2"]
    }
  }
}

struct SharedLoopModel: Sendable {
  enum Ended { static let no = 0, yes = 1, awaited = 2 }

  let iterations: Int
  let next, left, ended, references: Atomic
  /// The closure on the caller's stack, and what each iteration did.
  let body: Plain
  let results: [Plain]
  let orderings: Orderings<SharedLoopSite>

  init(_ p: inout Program, iterations: Int, _ orderings: Orderings<SharedLoopSite>) {
    self.iterations = iterations
    next = p.atomic("next", isMortal: true)
    left = p.atomic("left", iterations, isMortal: true)
    ended = p.atomic("ended", isMortal: true)
    references = p.atomic("references", 1, isMortal: true)
    body = p.plain("body", 1)
    results = p.plains("result", count: iterations)
    self.orderings = orderings
  }

  func takePart(_ t: ModelThread) throws {
    var done = 0
    while true {
      let start = try t.fetchAdd(next, 1, .relaxed)
      if start >= iterations { break }
      try t.require(try t.read(body) == 1, "the body is called after its caller left")
      try t.write(try t.read(results[start]) + 1, to: results[start])
      done += 1
    }
    if done > 0 { try count(done, t) }
  }

  private func count(_ done: Int, _ t: ModelThread) throws {
    guard try t.fetchAdd(left, -done, orderings[.count]) == done else { return }
    let old = try t.exchange(ended, Ended.yes, orderings[.end])
    if old == Ended.awaited { try t.futexWake(ended) }
  }

  func awaitEnd(_ t: ModelThread) throws {
    if try t.load(ended, orderings[.lookAwake]) == Ended.yes { return }
    let announced = try t.compareExchange(
      ended, expected: Ended.no, desired: Ended.awaited, .relaxed,
      failure: orderings[.failToSleep])
    guard announced.exchanged else { return }
    repeat {
      try t.futexWait(ended, expected: Ended.awaited)
    } while try t.load(ended, orderings[.lookAfterSleep]) != Ended.yes
  }

  func release(_ t: ModelThread) throws {
    guard try t.fetchAdd(references, -1, orderings[.release]) == 1 else { return }
    for location in [next, left, ended, references] { try t.free(location) }
  }
}

@Suite struct SharedLoopTests {
  /// A caller and its helpers; the pool may start each helper late.
  private func scenario(iterations: Int, helpers: Int) -> Scenario<SharedLoopSite> {
    Scenario("\(iterations) iterations, \(helpers) helpers") { p, orderings in
      let loop = SharedLoopModel(&p, iterations: iterations, orderings)
      let submissions = p.atomics("submission", count: helpers)
      p.thread(
        "caller",
        sections: [
          { t in
            for submission in submissions {
              try t.fetchAdd(loop.references, 1, .relaxed)
              try t.store(1, to: submission, .release)
            }
          },
          { t in try loop.takePart(t) },
          { t in try loop.awaitEnd(t) },
          { t in
            for result in loop.results {
              let count = try t.read(result)
              try t.require(count == 1, "an iteration ran \(count) times")
            }
            try t.write(0, to: loop.body)
            try loop.release(t)
          },
        ])
      for (index, submission) in submissions.enumerated() {
        p.thread(
          "helper \(index)",
          sections: [
            { t in try t.await(submission, .equal(1), .acquire) },
            { t in try loop.takePart(t) },
            { t in try loop.release(t) },
          ])
      }
    }
  }

  private var scenarios: [Scenario<SharedLoopSite>] {
    [scenario(iterations: 2, helpers: 1), scenario(iterations: 2, helpers: 2)]
  }

  @Test func eachIterationRunsOnceAndIsSeenByTheCaller() {
    expectHolds(scenarios + [scenario(iterations: 3, helpers: 1)])
  }

  /// The thread that ends the last iteration has acquired the others through the count. The
  /// caller writes nothing before it falls asleep.
  @Test func everyOrderingOfTheSharedLoopIsNeeded() {
    expectEachWeakeningFails(scenarios, except: ["end release"])
  }
}
