// PassedDeadlineFactsTests — the system calls of a wait whose deadline has passed.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  /// Programs use `.now()` to ask whether a semaphore is free; a system call would delay them
  /// by the thread's timer slack.
  @Test func waitsWhoseDeadlineHasPassedMakeNoSystemCall() throws {
    let facts = try Facts(of: PassedDeadlineScenario.systemCallsOfWaitsWhoseDeadlineHasPassed)
    #expect(try facts.integer("timedOut") == 12 * 101)
    #expect(try facts.integer("systemCalls") == 0)
  }
}
