// Site — the orderings of a protocol; a test weakens each one by itself.
//
// A protocol is modelled once, and each operation looks up its ordering by its site. The
// protocol must hold with the library's orderings. If one ordering is weakened by one step and
// the others stay as they are, some scenario must fail. An ordering that survives is stronger
// than the protocol needs: the test names it and gives the reason.

import Testing

/// A step of a protocol at which memory is accessed with an ordering.
protocol Site: CaseIterable, Hashable, Sendable {
  var access: Access { get }
  /// The library's ordering.
  var ordering: Ordering { get }
  /// The library's operations that this site represents, by their names in
  /// `Documentation/Internals/Mutations.tsv`.
  var operations: [String] { get }
}

/// The orderings of a protocol: the library's, or with one site weakened.
struct Orderings<S: Site>: Sendable, CustomStringConvertible {
  private(set) var weakened: (site: S, ordering: Ordering)?

  static var asBuilt: Self { Self() }

  /// Every way to weaken one site by one step.
  static var weakenings: [Self] {
    S.allCases.flatMap { site in
      site.access.weakenings(of: site.ordering).map { Self(weakened: (site, $0)) }
    }
  }

  subscript(site: S) -> Ordering {
    if let weakened, weakened.site == site { weakened.ordering } else { site.ordering }
  }

  var description: String {
    weakened.map { "\($0.site) \($0.ordering.rawValue)" } ?? "as built"
  }
}

/// A small program that exercises a protocol.
struct Scenario<S: Site> {
  let name: String
  let program: (Orderings<S>) -> Program

  init(_ name: String, _ declare: @escaping (inout Program, Orderings<S>) -> Void) {
    self.name = name
    program = { orderings in Program { declare(&$0, orderings) } }
  }
}

/// Expects that the protocol holds as built in every scenario.
func expectHolds<S: Site>(
  _ scenarios: [Scenario<S>], sourceLocation: SourceLocation = #_sourceLocation
) {
  for scenario in scenarios {
    let verdict = scenario.program(.asBuilt).explored()
    #expect(verdict.holds, "\(scenario.name): \(verdict)", sourceLocation: sourceLocation)
    #expect(!verdict.outcomes.isEmpty, "\(scenario.name): no execution ends")
  }
}

/// Expects that each weakened ordering fails in some scenario, except `survivors`.
func expectEachWeakeningFails<S: Site>(
  _ scenarios: [Scenario<S>], except survivors: Set<String> = [],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let holding = Orderings<S>.weakenings.filter { orderings in
    let holds = scenarios.allSatisfy { $0.program(orderings).explored().holds }
    if let (site, ordering) = orderings.weakened {
      MutationTable.report(site, weakened: ordering, isFound: !holds)
    }
    return holds
  }
  #expect(Set(holding.map(\.description)) == survivors, sourceLocation: sourceLocation)
}
