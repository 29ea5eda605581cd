// LockSequenceStressTests — many legal sequences of locks cause no report.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite struct LockSequenceStressTests {
  /// Runs some thousands; use `CountedFacts legal-lock-sequences 1000000` for more.
  @Test(arguments: ["", "lock-order-trap"])
  func legalSequencesAreNotReported(check: String) throws {
    let count = check.isEmpty ? 40_000 : 4_000
    let facts = try Facts(
      of: LockSequenceScenario.legalLockSequences, "\(count)", "\(Stress.seed % 1_000_000_000)",
      environment: ["SIGNALBOX_CHECK": check])
    #expect(try facts.integer("sequences") == count)
    #expect(try facts.integer("failed") == 0)
    facts.note("waits")
  }
}
