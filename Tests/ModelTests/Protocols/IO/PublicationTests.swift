// Publication — the model of objects that the first thread to need them makes and all others
// find: the engine (`CSignalbox/engine.h`); an object's record
// (`SignalboxDispatch/ObjectContext.swift`); and, made in the same way, the contiguous copy of
// data (`SignalboxDispatch/Data/DataRope.swift`).

import Testing

enum PublicationSite: Site {
  /// The engine: the load, the compare-and-swap, and its failure.
  case loadEngine, install, findInstalled
  /// The record: the load, and the compare-and-swap with its failure.
  case loadRecord, publishRecord

  var access: Access {
    switch self {
    case .install, .publishRecord: .update
    case .loadEngine, .findInstalled, .loadRecord: .load
    }
  }

  var ordering: Ordering { access == .load ? .acquire : .acquireRelease }

  var operations: [String] {
    switch self {
    case .loadEngine: ["CSignalbox/engine.csb_engine_load:EN1"]
    case .install: ["CSignalbox/engine.csb_engine_install:EN1"]
    case .findInstalled: ["CSignalbox/engine.csb_engine_install:EN1.2"]
    case .loadRecord:
      [
        "SignalboxDispatch/ObjectContext.context:OC1", "SignalboxDispatch/ObjectContext.made:OC1",
        "Data/DataRope.flattened:DF1",
      ]
    case .publishRecord:
      ["SignalboxDispatch/ObjectContext.made:OC1.2", "Data/DataRope.flattened:DF1.2"]
    }
  }
}

@Suite struct PublicationTests {
  /// Two threads need the object. Each finds it, or makes its own and then finds out which of
  /// the two is the published one; it uses that one.
  private func scenario(
    _ name: String,
    _ sites: (look: PublicationSite, publish: PublicationSite, fail: PublicationSite)
  ) -> Scenario<PublicationSite> {
    Scenario(name) { p, orderings in
      let pointer = p.atomic("pointer")
      let made = p.plains("made", count: 3)
      for thread in 1...2 {
        p.thread("\(thread)") { t in
          var found = try t.load(pointer, orderings[sites.look])
          if found == 0 {
            try t.write(1, to: made[thread])
            let (published, other) = try t.compareExchange(
              pointer, expected: 0, desired: thread, orderings[sites.publish],
              failure: orderings[sites.fail].ofLoad)
            found = published ? thread : other
          }
          try t.require(try t.read(made[found]) == 1, "what is found is not made")
        }
      }
    }
  }

  private var scenarios: [Scenario<PublicationSite>] {
    [
      scenario("engine", (.loadEngine, .install, .findInstalled)),
      scenario("record", (.loadRecord, .publishRecord, .publishRecord)),
    ]
  }

  @Test func aThreadThatFindsTheObjectFindsItInitialized() {
    expectHolds(scenarios)
  }

  /// An engine replaces null, which no thread wrote.
  @Test func everyOrderingOfAPublicationIsNeeded() {
    expectEachWeakeningFails(scenarios, except: ["install release"])
  }
}
