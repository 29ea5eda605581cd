// SourceFactsTests — what sources and timers cost and leave behind, counted in a process of its
// own.

import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  // MARK: Sources

  /// The scenario, and how many sources each round makes.
  @Test(arguments: [
    ("timers-are-freed", 2_000), ("read-sources-are-freed", 500),
    ("user-data-sources-are-freed", 2_000),
  ])
  func sourcesAreFreedToTheByte(scenario: String, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("ran") == count * facts.integer("rounds"))
    // Detects a leak of one byte for each source.
    #expect(try facts.integer("leftByTheBestRound") < count)
    #expect(try facts.integer("leftByAllRounds") <= facts.integer("threadsMayKeep"))
    facts.note("leftByAllRounds")
  }

  /// An epoll set, a timer for each clock, and the descriptor that wakes them; each is made
  /// once.
  @Test func sourcesOpenAFewDescriptorsAndNoProgramInheritsThem() throws {
    let facts = try Facts(of: "descriptors-of-sources")
    let own = try facts.integer("own") - facts.integer("before")
    #expect((1...6).contains(own))
    #expect(try facts.integer("after") == facts.integer("own"))
    #expect(try facts.integer("inherited") == 0)
  }

  /// A worker whose handlers were short calls no other worker when it finds more of them.
  @Test(arguments: ["handlers-that-wait-in-the-kernel", "handlers-that-wait-at-a-door"])
  func handlerThatWaitsForAnotherHoldsItNotUp(scenario: String) throws {
    #expect(try Facts(of: scenario, "50").integer("met") == 50)
  }

  @Test func processWhoseSourcesAreCancelledIsQuiet() throws {
    let facts = try Facts(of: "wake-ups-after-the-last-source", "10")
    #expect(try facts.integer("wakeUps") == 0)
  }

  /// The program cannot continue without its timers.
  @Test func timerWithoutDescriptorsSaysWhatIsMissing() throws {
    let outcome = try ChildProgram("CountedFacts").run(
      ["a-timer-without-descriptors"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == .signal(6))
    #expect(outcome.standardError.contains("out of descriptors"))
    #expect(outcome.standardError.contains("ulimit -n"))
  }

  @Test func readSourceWithoutDescriptorsIsCancelledAndTheNextOneWorks() throws {
    let facts = try Facts(of: "a-read-source-without-descriptors")
    #expect(try facts.integer("cancelled") == 1)
    #expect(try facts.integer("isCancelled") == 1)
    #expect(try facts.integer("events") == 0)
    #expect(try facts.integer("toldLater") == 1)
  }

  /// Ordinary runs use fewer sockets for a second; long stress runs use ten thousand for a
  /// minute.
  @Test func thousandsOfDescriptorsLoseAndConfuseNothing() throws {
    let isLong = Stress.together > .seconds(10)
    let facts = try Facts(
      of: "many-descriptors", isLong ? "10000" : "2000", isLong ? "60000" : "1000",
      "\(Stress.seed % 1_000_000)")
    StandardError.print("\(facts)")
    #expect(try facts.integer("open") >= (isLong ? 9_000 : 2_000))
    #expect(try facts.integer("steps") > 0)
    #expect(try facts.integer("events") > 0)
    #expect(try facts.integer("cancellations") == 2 * facts.integer("opens"))
    for nothing in [
      "sentButNotArrived", "arrivedButNotSent", "wrong", "nothingToRead", "alive",
    ] {
      #expect(try facts.integer(nothing) == 0, "\(nothing)")
    }
    // The driver's own descriptors.
    #expect(try (0...6).contains(facts.integer("left")))
  }
}
