// CountedFactsTests — facts that are counted, not timed, each in a process of its own that does
// not load `Testing`. Each feature's facts are in the folder of the feature.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.serialized) struct CountedFactsTests {
  /// A worker that loses its processor for half a millisecond looks busy, and the pool starts a
  /// backup poller. So the test takes one of a few processes to which that does not happen.
  func factsOfOneNotHeldUp(
    _ threads: String, atMost limit: Int, _ run: () throws -> Facts
  ) throws -> Facts {
    for _ in 0..<9 {
      let facts = try run()
      if try facts.integer(threads) <= limit { return facts }
    }
    return try run()
  }

  @Test func systemCallsAreCounted() throws {
    let facts = try Facts(of: SubmissionScenario.aTracedSystemCall)
    #expect(try facts.integer("systemCalls") == 3)
  }
}
