// Perform — the model of a thread that waits until another thread's loop has performed its
// block (`SignalboxRunLoop/Perform/PerformCall.swift`).

import Testing

enum PerformSite: Site {
  /// The loop has run the block; the waiter looks.
  case finish, look

  var access: Access { self == .finish ? .store : .load }
  var ordering: Ordering { self == .finish ? .release : .acquire }

  var operations: [String] {
    switch self {
    case .finish: ["Perform/PerformCall.finish:PC1"]
    case .look: ["Perform/PerformCall.wait:PC1"]
    }
  }
}

@Suite struct PerformTests {
  private enum State { static let waiting = 0, running = 1, done = 2, withdrawn = 3 }

  /// The loop runs the block unless the waiter has withdrawn it. The waiter withdraws a block
  /// that has not begun.
  private var scenario: Scenario<PerformSite> {
    Scenario("performed or withdrawn") { p, orderings in
      let word = p.atomic("word")
      let result = p.plain("result")
      p.thread("loop") { t in
        let (runs, _) = try t.compareExchange(
          word, expected: State.waiting, desired: State.running, .relaxed, failure: .relaxed)
        guard runs else { return }
        try t.write(1, to: result)
        try t.store(State.done, to: word, orderings[.finish])
      }
      p.thread("waiter") { t in
        switch try t.load(word, orderings[.look]) {
        case State.done: try t.require(try t.read(result) == 1, "what the block did is not there")
        case State.waiting:
          let (isWithdrawn, _) = try t.compareExchange(
            word, expected: State.waiting, desired: State.withdrawn, .relaxed, failure: .relaxed)
          // From here on, only the waiter uses it.
          if isWithdrawn { try t.write(2, to: result) }
        default: break
        }
      }
    }
  }

  @Test func theWaiterSeesTheBlocksEffectsOrTheBlockDoesNotRun() {
    expectHolds([scenario])
  }

  @Test func everyOrderingOfAPerformIsNeeded() {
    expectEachWeakeningFails([scenario])
  }
}
