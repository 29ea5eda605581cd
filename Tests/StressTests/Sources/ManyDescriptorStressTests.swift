// ManyDescriptorStressTests — thousands of sockets with sources, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.serialized) struct ManyDescriptorStressTests {
  /// Ordinary runs use fewer sockets for a second; long stress runs use ten thousand for a
  /// minute.
  @Test func thousandsOfDescriptorsLoseNoEventAndMixUpNone() throws {
    let isLong = Stress.together > .seconds(10)
    let facts = try Facts(
      of: ManyDescriptorScenario.manyDescriptors, isLong ? "10000" : "2000",
      isLong ? "60000" : "1000",
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
