// SourceFactsTests — what sources and timers cost and leave behind, counted in a process of its
// own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  /// The scenario, and how many sources each round makes.
  @Test(arguments: [
    (SourceScenario.timersAreFreed, 2_000), (SourceScenario.readSourcesAreFreed, 500),
    (SourceScenario.userDataSourcesAreFreed, 2_000),
  ])
  func sourcesAreFreedToTheByte(scenario: SourceScenario, count: Int) throws {
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
    let facts = try Facts(of: SourceScenario.descriptorsOfSources)
    let own = try facts.integer("own") - facts.integer("before")
    #expect((1...6).contains(own))
    #expect(try facts.integer("after") == facts.integer("own"))
    #expect(try facts.integer("inherited") == 0)
  }

  /// A worker whose handlers were short calls no other worker when it finds more of them.
  @Test(arguments: [LongHandlerScenario.handlersThatWaitInTheKernel, .handlersThatWaitAtADoor])
  func handlerThatWaitsForAnotherDoesNotBlockIt(scenario: LongHandlerScenario) throws {
    #expect(try Facts(of: scenario, "20").integer("met") == 20)
  }

  @Test func processWhoseSourcesAreCancelledDoesNotWake() throws {
    let facts = try Facts(of: SourceScenario.wakeUpsAfterTheLastSource, "10")
    #expect(try facts.integer("wakeUps") == 0)
  }

  /// The program cannot continue without its timers.
  @Test func timerWithoutDescriptorsReportsWhatIsMissing() throws {
    let outcome = try ChildProgram.run(
      DescriptorShortageScenario.aTimerWithoutDescriptors,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == .signal(6))
    #expect(outcome.standardError.contains("out of descriptors"))
    #expect(outcome.standardError.contains("ulimit -n"))
  }

  @Test func readSourceWithoutDescriptorsIsCancelledAndTheNextOneWorks() throws {
    let facts = try Facts(of: DescriptorShortageScenario.aReadSourceWithoutDescriptors)
    #expect(try facts.integer("cancelled") == 1)
    #expect(try facts.integer("isCancelled") == 1)
    #expect(try facts.integer("events") == 0)
    #expect(try facts.integer("toldLater") == 1)
  }
}
