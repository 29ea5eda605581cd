// OnceState — the model of `SignalboxRuntime/Parking/OnceState.swift`, and of
// `SignalboxDropIn/Coordination/OnceFunctions.swift`, where no body throws.

import Testing

enum OnceSite: Site {
  case loadDone, begin, end

  var access: Access {
    switch self {
    case .loadDone: .load
    case .begin, .end: .update
    }
  }

  var ordering: Ordering {
    switch self {
    case .loadDone, .begin: .acquire
    case .end: .release
    }
  }

  var operations: [String] {
    switch self {
    case .loadDone: ["Parking/OnceState.isDone:ON1", "Coordination/OnceFunctions.isDone:OF1"]
    case .begin: ["Parking/OnceState.begin:ON1", "Coordination/OnceFunctions.begin:OF1"]
    case .end: ["Parking/OnceState.end:ON1", "Coordination/OnceFunctions.perform:OF1"]
    }
  }
}

struct OnceModel: Sendable {
  /// Ways to get it wrong.
  enum Mistake {
    /// The end is a load and a store, which overwrites an announcement in between.
    case endsByStore
    /// A woken thread assumes that the body ran, though it may have thrown.
    case wakeIsBelieved
  }

  enum Word { static let new = 0, running = 1, awaited = 2, done = 3 }

  let word: Atomic
  let orderings: Orderings<OnceSite>
  var mistake: Mistake?

  /// `body` returns whether it finished; false means that it threw.
  func perform(_ t: ModelThread, _ body: () throws -> Bool) throws {
    if try t.load(word, orderings[.loadDone]) == Word.done { return }
    guard try begin(t) else { return }
    let end = try body() ? Word.done : Word.new
    let old: Int
    if mistake == .endsByStore {
      old = try t.load(word, .relaxed)
      try t.store(end, to: word, .release)
    } else {
      old = try t.exchange(word, end, orderings[.end])
    }
    if old == Word.awaited { try t.futexWake(word, all: true) }
  }

  private func begin(_ t: ModelThread) throws -> Bool {
    while true {
      let (began, current) = try t.compareExchange(
        word, expected: Word.new, desired: Word.running, orderings[.begin])
      if began { return true }
      switch current {
      case Word.done: return false
      case Word.running:
        _ = try t.compareExchange(
          word, expected: Word.running, desired: Word.awaited, .relaxed)
      default:
        let result = try t.futexWait(word, expected: Word.awaited)
        if mistake == .wakeIsBelieved && result == .woken { return false }
      }
    }
  }
}

@Suite struct OnceTests {
  /// Threads that perform the same once; the first `throwing` attempts throw.
  private func scenario(
    threads: Int, throwing: Int = 0, mistake: OnceModel.Mistake? = nil
  ) -> Scenario<OnceSite> {
    Scenario("\(threads) threads, \(throwing) attempts throw") { p, orderings in
      let once = OnceModel(word: p.atomic("word"), orderings: orderings, mistake: mistake)
      let attempts = p.plain("attempts")
      for thread in 0..<threads {
        p.thread("\(thread)") { t in
          var threw = false
          try once.perform(t) {
            let before = try t.read(attempts)
            try t.write(before + 1, to: attempts)
            threw = before < throwing
            return !threw
          }
          if !threw {
            let seen = try t.read(attempts)
            try t.require(seen == throwing + 1, "\(seen) attempts are seen")
          }
        }
      }
      p.atEnd { end in
        end[attempts] == throwing + 1 ? nil : "the body ran \(end[attempts]) times"
      }
    }
  }

  private var scenarios: [Scenario<OnceSite>] {
    [scenario(threads: 2), scenario(threads: 2, throwing: 1), scenario(threads: 3)]
  }

  @Test func theBodyRunsOnceAndAllSeeWhatItDid() {
    expectHolds(scenarios)
  }

  @Test func everyOrderingOfTheOnceIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func anEndByStoreForgetsASleeper() {
    let verdict = scenario(threads: 2, mistake: .endsByStore).program(.asBuilt).explored()
    #expect(verdict.stuckThreads != nil, "\(verdict)")
  }

  @Test func trustingAWakeTakesAThrownBodyForRun() {
    let verdict = scenario(threads: 2, throwing: 1, mistake: .wakeIsBelieved)
      .program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }
}
