// RunLoopFactsTests — what run loops cost and leave behind, counted in a process of its own;
// and forks.

import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  /// A pass makes no system call if it neither sleeps nor has descriptors to check.
  @Test func idlePassesMakeNoSystemCall() throws {
    let facts = try Facts(of: "system-calls-of-idle-passes")
    #expect(try facts.integer("systemCalls") == 0)
  }

  /// One sleep for each pass. Sometimes a late signal causes a second one.
  @Test func aPassInWhichASourceIsPerformedMakesAFewSystemCalls() throws {
    let facts = try Facts(of: "system-calls-of-passes", "100")
    #expect(try facts.integer("systemCalls") <= 300)
    facts.note("systemCalls")
  }

  /// One sleep of the main loop, which also waits for the main queue, one check, and one write
  /// by the waking thread. In release builds a pass is so short that a loop spins before some
  /// sleeps. `AdaptiveSpin` skips twice as many waits after each unsuccessful spin, so it spins
  /// at most seven times in a hundred waits, and checks its descriptors five times in a spin.
  @Test func aPassOfTheMainLoopAndItsWakeUpMakeThreeSystemCallsAtMost() throws {
    let facts = try Facts(of: "system-calls-of-passes-of-the-main-loop-and-of-its-waker", "100")
    #expect(try facts.integer("performed") == 101)
    #expect(try facts.integer("systemCalls") <= 300 + 7 * 5)
    facts.note("systemCalls")
  }

  @Test func loopsGiveTheirDescriptorsBackAndMakeNoneBeforeTheySleep() throws {
    let facts = try Facts(of: "descriptors-of-loops", "50")
    #expect(try facts.integer("left") == 0)
    #expect(try facts.integer("ofAnIdleLoop") == 0)
  }

  @Test func aWaitingLoopMakesNoWakeUp() throws {
    let facts = try Facts(of: "wake-ups-of-a-waiting-loop")
    #expect(try facts.integer("wakeUps") == 0)
  }

  @Test(arguments: ["fork-with-a-loop", "fork-with-a-loop-from-another-thread"])
  func aForkedChildGoesOnWithItsLoop(_ scenario: String) throws {
    let facts = try Facts(of: scenario, environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("child") == 0)
  }

  @Test func forksWhileLoopsAreUsedLeaveThemWhole() throws {
    let facts = try Facts(
      of: "fork-while-loops-are-used", "20", environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    for round in 0..<20 { #expect(try facts.integer("child\(round)") == 0) }
  }

  /// The fork does not interrupt a thread that makes the first loop.
  @Test func forkWaitsForWhatLoopsMakeOnce() throws {
    let facts = try Facts(
      of: "fork-waits-for-what-loops-make-once",
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("child") == 0)
  }

  /// The fork does not interrupt a thread that makes the first queue either.
  @Test func forkKeepsNobodyFromMakingTheFirstQueue() throws {
    let facts = try Facts(
      of: "fork-while-the-first-queue-is-made",
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("before") == 0)
    #expect(try facts.integer("child") == 0)
    #expect(try facts.integer("made") == 1)
  }

  @Test(arguments: [
    "fork-while-the-first-loop-is-made", "fork-while-the-first-source-is-made",
    "fork-while-the-first-trace-is-set", "fork-while-the-first-object-is-locked",
  ])
  func childrenForkedAtTheFirstUseDoNotHang(_ scenario: String) throws {
    let facts = try Facts(of: scenario, "100", environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("well") == 100, "\(facts)")
  }
}
