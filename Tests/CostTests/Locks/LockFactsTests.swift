// LockFactsTests — the system calls of locks that are free.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test func uncontendedLocksMakeNoSystemCall() throws {
    let facts = try Facts(of: FreeLockScenario.systemCallsOfLocksNobodyWaitsFor)
    #expect(try facts.integer("ran") == 1_002)
    #expect(try facts.integer("systemCalls") == 0, "\(facts)")
  }
}
