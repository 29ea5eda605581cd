// SemanticsTests — our pool keeps Swift's own semantics. Each scenario also runs on the toolchain's
// pool, which shows that the scenario tests what Swift promises.

import ConcurrencyScenarios
import SignalboxTestSupport
import Testing

@Suite("Swift's semantics", .guarded, .adopting)
struct SemanticsTests {
  static let routes: [Route] = [.stock, .adopted, .asyncMain]

  @Test(arguments: SemanticFacts.expected.keys.sorted(), routes)
  func guaranteesHold(_ scenario: String, _ route: Route) throws {
    let expected = SemanticFacts.expected[scenario]
    #expect(try route.facts(of: scenario) == expected)
  }

  /// A scenario without expectations would test nothing.
  @Test func eachScenarioIsTested() {
    let tested =
      Array(SemanticFacts.expected.keys) + SemanticFacts.drawn + Array(SemanticFacts.traps.keys)
    #expect(tested.sorted() == semanticScenarios.keys.sorted())
  }

  @Test(arguments: SemanticFacts.traps.keys.sorted(), routes)
  func violationsTrap(_ scenario: String, _ route: Route) throws {
    expectTrap(try route.run(scenario), says: SemanticFacts.traps[scenario] ?? "")
  }

  /// Many small programs, each drawn from its own seed.
  @Test(arguments: [Route.stock, .adopted, .runLoop, .host, .asyncMain])
  func randomGraphsComputeTheSame(_ route: Route) throws {
    var random = SeededGenerator.announced()
    for workers in ["1", "2", "4"] {
      let seed = "\(Int64(bitPattern: random.next()))"
      let facts = try route.facts(
        of: "a-random-graph", [seed], environment: ["SIGNALBOX_WORKERS": workers])
      #expect(facts["graphs"] == "true", "seed \(seed)")
      #expect(facts["wrong"] == "none", "seed \(seed), workers \(workers)")
    }
  }

  /// With a single worker nothing may wait for a second one.
  @Test(arguments: SemanticFacts.expected.keys.sorted())
  func guaranteesHoldWithOneWorker(_ scenario: String) throws {
    let facts = try Route.adopted.facts(of: scenario, environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(facts == SemanticFacts.expected[scenario])
  }
}
