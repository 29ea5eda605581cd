// LockSequenceStressTests — many legal sequences of locks cause no report.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite struct LockSequenceStressTests {
  /// Runs some thousands, and more in further processes while there is time: on a busy machine each
  /// wait for a lock takes long. Use `CountedFacts legal-lock-sequences 1000000` for more.
  @Test(arguments: ["", "lock-order-trap"])
  func legalSequencesAreNotReported(check: String) throws {
    let count = 4_000
    let processes: UInt64 = check.isEmpty ? 10 : 1
    let end = Uptime.now() + RealTime.wedge
    var number: UInt64 = 0
    repeat {
      let seed = (Stress.seed &+ number) % 1_000_000_000
      let facts = try Facts(
        of: LockSequenceScenario.legalLockSequences, "\(count)", "\(seed)",
        environment: ["SIGNALBOX_CHECK": check])
      #expect(try facts.integer("sequences") == count, "seed \(seed)")
      #expect(try facts.integer("failed") == 0, "seed \(seed)")
      facts.note("waits")
      number += 1
    } while number < processes && Uptime.now() < end
  }
}
