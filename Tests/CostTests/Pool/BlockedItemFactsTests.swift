// BlockedItemFactsTests — items that block a thread, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test(arguments: [
    (BlockedItemScenario.blockedItemsOnAGlobalQueue, 64),
    (BlockedItemScenario.blockedItemsOnAConcurrentQueue, 64),
    (BlockedItemScenario.blockedSerialQueues, 300),
  ])
  func itemsBlockedInASemaphoreAllRun(scenario: BlockedItemScenario, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("running") == count)
    #expect(try facts.integer("finished") == count)
    // Each blocked item blocks a thread; the pool has started only a few more.
    let threads = try facts.integer("threads")
    #expect(threads > count)
    #expect(threads <= count + 8)
    facts.note("milliseconds")
  }

  /// D11, for blocking that the library does not know about.
  @Test(arguments: [
    (ForeignBlockingScenario.itemsBlockedInRead, 64),
    (ForeignBlockingScenario.serialQueuesBlockedInRead, 64),
    (ForeignBlockingScenario.backgroundItemsBlockedInRead, 8),
    (ForeignBlockingScenario.itemsBlockedInReadWithoutDescriptors, 8),
  ])
  func itemsBlockedInReadAllRun(scenario: ForeignBlockingScenario, count: Int) throws {
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("running") == count)
    #expect(try facts.integer("finished") == count)
    // In addition to the blocked threads: main, a monitor, a starter, and a few new threads.
    #expect(try facts.integer("threads") <= count + 8)
    facts.note("milliseconds")
  }

  /// The limit on threads is soft: a correct program finishes.
  @Test func itemsThatWaitForItemsBehindThemFinish() throws {
    let facts = try Facts(of: ForeignBlockingScenario.itemsThatWaitForItemsBehindThem, "2000")
    #expect(try facts.integer("ended") == 2000)
    facts.note("milliseconds")
  }
}
