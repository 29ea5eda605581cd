// KeptStack — the model of the cache in `CSignalbox/faults.c`, which keeps a signal stack for a
// later thread. It holds one stack: an exchange takes it, a compare-and-swap fills it.

import Testing

enum KeptStackSite: Site {
  case take, give

  var access: Access { .update }

  var ordering: Ordering { self == .take ? .acquire : .release }

  var operations: [String] {
    switch self {
    case .take: ["CSignalbox/faults.take_stack:FS1"]
    case .give: ["CSignalbox/faults.give_stack:FS1"]
    }
  }
}

struct KeptStackModel: Sendable {
  let slot: Atomic
  /// For each stack, what a handler writes there.
  let stacks: [Plain]
  let orderings: Orderings<KeptStackSite>

  /// Runs a thread from its beginning to its end. If no stack is cached, the thread makes the
  /// one with its own number.
  func live(_ number: Int, _ t: ModelThread) throws {
    let kept = try t.exchange(slot, 0, orderings[.take])
    let stack = kept == 0 ? number : kept
    try t.write(number, to: stacks[stack])
    try t.require(try t.read(stacks[stack]) == number, "another thread uses the stack")
    _ = try t.compareExchange(slot, expected: 0, desired: stack, orderings[.give])
  }
}

@Suite struct KeptStackTests {
  private var scenarios: [Scenario<KeptStackSite>] {
    (2...3).map { count in
      Scenario("\(count) threads") { p, orderings in
        let model = KeptStackModel(
          slot: p.atomic("slot"), stacks: p.plains("stack", count: count + 1),
          orderings: orderings)
        for number in 1...count { p.thread("\(number)") { t in try model.live(number, t) } }
      }
    }
  }

  @Test func noTwoThreadsUseOneStackAtATime() {
    expectHolds(scenarios)
  }

  @Test func everyOrderingOfAKeptStackIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }
}
