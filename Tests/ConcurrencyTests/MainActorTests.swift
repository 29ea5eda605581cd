// MainActorTests — the main actor belongs to the process's first thread, whatever serves it there.

import SignalboxTestSupport
import Testing

@Suite("The main actor", .guarded, .adopting)
struct MainActorTests {
  @Test(arguments: Route.adopting)
  func mainActorCodeStaysOnTheMainThread(_ route: Route) throws {
    let facts = try route.facts(of: "the-main-actor-keeps-to-the-first-thread")
    #expect(facts["looks"] == "1040")
    #expect(facts["strays"] == "0")
  }

  /// Shows that the test above can fail.
  @Test(arguments: [Route.stock, .stockAsyncMain])
  func mainActorCodeLeavesTheMainThreadOnTheToolchainsPool(_ route: Route) throws {
    let facts = try route.facts(of: "the-main-actor-keeps-to-the-first-thread")
    #expect(facts["looks"] == "1040")
    #expect(facts["strays"] != "0")
  }

  @Test(arguments: [
    "the-main-actor-runs-one-at-a-time", "the-main-actor-is-open-while-it-waits",
    "messages-to-the-main-actor-keep-their-order", "task-locals-go-with-the-task",
    "cancelled-sleeps-end-at-once", "isolation-is-seen-where-it-is",
    "an-isolated-deinit-runs-on-its-actor",
  ])
  func worksUnderEachDrain(_ scenario: String) throws {
    for route in [Route.runLoop, .cfRunLoop, .host] {
      #expect(try route.facts(of: scenario) == SemanticFacts.expected[scenario], "\(route)")
    }
  }

  /// The loop runs as soon as the process has one.
  @Test func ourMainLoopIsRunInAnAsyncMain() throws {
    let facts = try Route.asyncMain.facts(of: "our-main-loop-in-an-async-main")
    #expect(facts == ["block": "true", "timer": "true", "main": "true"])
  }

  /// A stop ends one run of the loop, and another one follows.
  @Test func ourMainLoopGoesOnAfterStopsInAnAsyncMain() throws {
    let facts = try Route.asyncMain.facts(of: "our-main-loop-after-stops-in-an-async-main")
    #expect(facts == ["runs": "3", "timer": "true", "block": "true"])
  }

  /// However busy our queue is, this takes only a few ticks of the coarse clock.
  @Test(arguments: [Route.adopted, .runLoop, .cfRunLoop, .host])
  func theToolchainsMainQueueIsServed(_ route: Route) throws {
    let facts = try route.facts(of: "the-toolchains-main-queue-has-its-turn")
    #expect(try #require(Int(facts["ticksBefore"] ?? "")) <= 4)
  }

  /// In an async main our main queue is served if the program has adopted the executors.
  @Test func ourMainQueueIsServedInAnAsyncMain() throws {
    let facts = try Route.asyncMain.facts(of: "our-main-queue-in-an-async-main")
    #expect(facts == ["item": "true", "later": "true"])
  }

  @Test func anErrorOfAnAsyncMainEndsTheProgram() throws {
    for route in [Route.asyncMain, .stockAsyncMain] {
      expectTrap(
        try route.run("an-async-main-that-throws"), says: "Error raised at top level",
        "CancellationError")
    }
  }

  @Test(arguments: [Route.adopted, .runLoop, .cfRunLoop, .host])
  func itemsOfTheMainQueueAreItsCode(_ route: Route) throws {
    let facts = try route.facts(of: "items-of-the-main-queue-are-the-main-actors")
    for name in ["atStart", "item", "task", "taskLater", "sync", "target"] {
      #expect(facts[name] == "true", "\(name)")
    }
  }

  @Test(arguments: [Route.adopted, .runLoop, .cfRunLoop, .host])
  func mainActorJobsAndMainQueueItemsKeepTheirOrders(_ route: Route) throws {
    let facts = try route.facts(of: "main-items-and-main-jobs-take-turns")
    #expect(facts == ["items": "true", "jobs": "true"])
  }

  /// The trap says where the code runs and what to do.
  @Test func assumingItOnAQueueTraps() throws {
    expectTrap(
      try Route.adopted.run("the-main-actor-assumed-on-a-queue-traps"),
      says: "BUG IN CLIENT OF SIGNALBOX", "main actor", "\"the.wrong.queue\"", "await")
  }

  @Test(arguments: [
    "the-main-actor-assumed-off-it-traps", "the-main-actor-required-on-an-actor-traps",
  ])
  func assumingItInAnotherTaskTraps(_ scenario: String) throws {
    for route in [Route.adopted, .asyncMain] {
      expectTrap(
        try route.run(scenario), says: "BUG IN CLIENT OF SIGNALBOX", "main actor", "await")
    }
  }

  /// The report names the code that blocks it.
  @Test(arguments: [Route.adopted, .runLoop, .cfRunLoop, .host])
  func aBlockedMainActorIsInTheReport(_ route: Route) throws {
    let outcome = try route.run("a-blocked-main-actor-is-reported")
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["ended"] == "true")
    let report = outcome.standardOutput.split(separator: "\n").first {
      $0.contains("the main thread")
    }
    #expect(report?.contains("waits for a signal of a semaphore") == true)
  }
}
