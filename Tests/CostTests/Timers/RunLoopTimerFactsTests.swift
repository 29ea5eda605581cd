// RunLoopTimerFactsTests — what timers of run loops cost and leave behind, counted in a process
// of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test func timersOfLoopsAreFreedToTheByte() throws {
    let count = 2_001
    let facts = try Facts(of: RunLoopTimerScenario.runLoopTimersAreFreed, "\(count)")
    #expect(try facts.integer("ran") == count / 3 * facts.integer("rounds"))
    #expect(try facts.integer("leftByTheBestRound") < count)
    #expect(try facts.integer("leftByAllRounds") <= 16 * 1024)
    facts.note("leftByAllRounds")
  }

  /// The deadline of the loop's sleep serves as the timer; there is no timer in the kernel.
  @Test func timersOfALoopAreMadeMovedAndFiredWithoutASystemCall() throws {
    let facts = try Facts(of: RunLoopTimerScenario.systemCallsOfLoopTimers)
    #expect(try facts.integer("fired") == 50)
    #expect(try facts.integer("systemCalls") == 0)
  }
}
