// RunLoopFactsTests — what run loops cost and leave behind, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  /// A pass makes no system call if it neither sleeps nor has descriptors to check.
  @Test func idlePassesMakeNoSystemCall() throws {
    let facts = try Facts(of: RunLoopScenario.systemCallsOfIdlePasses)
    #expect(try facts.integer("systemCalls") == 0)
  }

  /// One sleep for each pass. Sometimes a late signal causes a second one.
  @Test func aPassInWhichASourceIsPerformedMakesAFewSystemCalls() throws {
    let facts = try Facts(of: RunLoopScenario.systemCallsOfPasses, "100")
    #expect(try facts.integer("systemCalls") <= 300)
    facts.note("systemCalls")
  }

  /// One sleep of the main loop, which also waits for the main queue, one check, and one write
  /// by the waking thread. In release builds a pass is so short that a loop spins before some
  /// sleeps. `AdaptiveSpin` skips twice as many waits after each unsuccessful spin, so it spins
  /// at most seven times in a hundred waits, and checks its descriptors five times in a spin.
  @Test func aPassOfTheMainLoopAndItsWakeUpMakeThreeSystemCallsAtMost() throws {
    let facts = try Facts(of: RunLoopScenario.systemCallsOfPassesOfTheMainLoopAndOfItsWaker, "100")
    #expect(try facts.integer("performed") == 101)
    #expect(try facts.integer("systemCalls") <= 300 + 7 * 5)
    facts.note("systemCalls")
  }

  @Test func loopsCloseTheirDescriptorsAndOpenNoneBeforeTheySleep() throws {
    let facts = try Facts(of: RunLoopScenario.descriptorsOfLoops, "50")
    #expect(try facts.integer("left") == 0)
    #expect(try facts.integer("ofAnIdleLoop") == 0)
  }

  @Test func aWaitingLoopMakesNoWakeUp() throws {
    let facts = try Facts(of: RunLoopScenario.wakeUpsOfAWaitingLoop)
    #expect(try facts.integer("wakeUps") == 0)
  }
}
