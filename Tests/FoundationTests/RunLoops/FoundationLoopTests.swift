// FoundationLoopTests — Foundation's own main run loop serves the main queue and the main run loop,
// whatever runs it. Each test runs a program that owns its main thread.

import SignalboxTestSupport
import Testing

@Suite(.guarded) struct FoundationLoopTests {
  private func facts(_ scenario: String, _ arguments: [String] = []) throws -> [String: String] {
    let outcome = try ChildProgram("FoundationFacts").run([scenario] + arguments)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome.facts
  }

  /// The counts of `Errands`: items, delayed items, timers, performs of other threads, a
  /// source.
  @Test(arguments: [
    "process-waits", "a-stream-is-read", "foundations-loop-runs",
    "foundations-loop-was-running-before", "passes-that-do-not-wait", "nested-runs",
    "a-run-of-ours-within",
  ])
  func anyRunOfFoundationsLoopServesTheMainQueueAndLoop(_ scenario: String) throws {
    let facts = try facts(scenario)
    #expect(facts["items"] == "50")
    #expect(facts["delayed"] == "5")
    #expect(facts["timer"] == "3")
    #expect(facts["performs"] == "20")
    #expect(facts["source"] == "10")
    #expect(facts["strays"] == "0")
  }

  @Test func aNestedRunOfOurLoopServesTheToolchainsMainQueue() throws {
    #expect(try facts("a-run-of-ours-within")["theirs"] == "1")
  }

  @Test func neitherMainQueueIsServedTwiceOrOutOfOrder() throws {
    let facts = try facts("both-main-queues-are-served-in-order")
    #expect(facts["o"] == "true")
    #expect(facts["t"] == "true")
  }

  @Test func withinAnItemOfTheMainQueueNoOtherBeginsButTheLoopIsServed() throws {
    #expect(try facts("an-item-waits-for-a-process")["order"] == "perform,first,second")
  }

  @Test func runningTheLoopWithinDispatchMainIsHarmless() throws {
    #expect(try facts("dispatch-main-and-a-process")["order"] == "waited,next")
  }

  @Test func aStopOfTheMainLoopStopsItsHost() throws {
    #expect(try facts("a-stop-of-our-loop-stops-the-host")["stopped"] == "1")
  }

  /// Nothing but the queueing wakes the loop.
  @Test(arguments: [
    ("a-notification-is-queued-before-the-run", "1"),
    ("observers-queue-the-next-notification", "3"),
    ("a-block-of-the-run-queues-the-first-notification", "3"),
  ])
  func aRunPostsTheNotificationsThatTheMainThreadQueues(
    _ scenario: String, _ count: String
  ) throws {
    #expect(try facts(scenario, ["\(Int(loopLimit))"])["posted"] == count)
  }

  @Test func anIdleHostIsNotWoken() throws {
    #expect(try facts("wake-ups-while-foundations-loop-is-idle")["wakeUps"] == "0")
  }
}
