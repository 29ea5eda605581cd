// TimerTests — D13, D22 and D26 for timers, and D22 for other sources: with leeway they share
// wake-ups, and cancelling frees at once. `SourceMisuseTests` checks that the release of a source
// that was never resumed names that source.

import CountedFacts
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Timers and their leeway", .guarded)
struct TimerTests {
  private func facts(_ scenario: any CountedScenario, _ arguments: String...) throws -> [String:
    Int]
  {
    let outcome = try ChildProgram.run(scenario, arguments)
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts.compactMapValues { Int($0) }
  }

  /// D13. A thousand timers, each ten times a second: the toolchain wakes for each of them.
  @Test func timersWithOverlappingLeewayShareWakeUps() throws {
    let strict = try facts(SourceScenario.wakeUpsOfTimersWithoutLeeway)
    let lenient = try facts(SourceScenario.wakeUpsOfTimersWithLeeway)
    for facts in [strict, lenient] {
      // Two seconds' worth, or more if the machine took longer.
      #expect(try #require(facts["due"]) >= 20_000)
      #expect(facts["lost"] == 0)
      #expect(facts["early"] == 0)
    }
    let (wakeUps, due) = try (#require(lenient["wakeUps"]), #require(lenient["due"]))
    // A benchmark measures how few there are on an idle machine.
    #expect(wakeUps * 20 <= due)
    StandardError.print("wake-ups in 2 s: \(wakeUps); without leeway \(strict["wakeUps"] ?? -1)")
  }

  /// D22.
  @Test func cancelledSourcesHaveFreedTheirCapturesWhenCancelReturns() throws {
    let facts = try facts(SourceScenario.capturesOfCancelledSources, "999")
    #expect(facts["captured"] == 999)
    #expect(facts["heldAfterCancel"] == 0)
    #expect(facts["alive"] == 0)
    #expect(facts["ran"] == 0)
  }

  /// D22 if `cancel` is called while the handler runs: the captures are freed when the handler
  /// returns.
  @Test func sourceCancelledByItsHandlerFreesTheCapturesWhenItReturns() throws {
    let tracker = LeakTracker()
    let queue = DispatchQueue(label: "test.cancelled.within")
    let alive = EventLog<Int>()
    func start() -> any DispatchSourceTimer {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      let object = tracker.makeObject()
      timer.setEventHandler {
        object.touch()
        timer.cancel()
        alive.append(tracker.alive)
        // This item runs after the handler on the same queue.
        queue.async { alive.append(tracker.alive) }
      }
      timer.activate()
      return timer
    }
    let timer = start()
    // Scheduled only here; earlier, the creating function may still hold the object.
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    try #expect(alive.wait(forCount: 2) == [1, 0])
    #expect(timer.isCancelled)
  }

  /// A suspended or slow timer costs one wake-up and then none, and a timer with a distant deadline
  /// none.
  @Test func suspendedTimerMakesNoWakeUp() throws {
    let facts = try facts(SourceScenario.wakeUpsOfASuspendedTimer)
    #expect(facts["wakeUps"] == 0)
    #expect(facts["events"] == 0)
    #expect(facts["eventsLater"] == 1)
  }
}
