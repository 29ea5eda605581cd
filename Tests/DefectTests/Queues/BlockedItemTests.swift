// BlockedItemTests — D11: items that wait for other work do not block the rest.

import CountedFacts
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct BlockedItemTests {
  /// The toolchain needs about a second for each blocked item beyond the number of processors,
  /// and stalls at 255 serial queues.
  @Test(arguments: [
    (BlockedItemScenario.blockedItemsOnAGlobalQueue, 64),
    (BlockedItemScenario.blockedItemsOnAConcurrentQueue, 64),
    (BlockedItemScenario.blockedSerialQueues, 300),
  ])
  func allBlockedItemsAreSoonRunning(_ scenario: BlockedItemScenario, _ count: Int) throws {
    let outcome = try ChildProgram.run(
      scenario, ["\(count)"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["running"] == "\(count)")
    #expect(outcome.facts["finished"] == "\(count)")
    let took = try #require(outcome.facts["milliseconds"].flatMap { Double($0) })
    #expect(Duration.nanoseconds(Int64(took * 1e6)) < RealTime.wedge)
  }

  /// Items blocked on groups, work items and `sync` block the rest as little as on semaphores.
  @Test func itemsBlockedInEveryWaitAreSoonRunning() throws {
    let count = 24
    let queue = DispatchQueue(label: "test.blocked", attributes: .concurrent)
    let running = EventCounter("items that have begun to wait")
    let ended = EventCounter("items that ended")
    let group = DispatchGroup()
    group.enter()
    let held = DispatchQueue(label: "test.held")
    held.suspend()
    for number in 0..<count {
      queue.async {
        running.increment()
        switch number % 3 {
        case 0: group.wait()
        case 1: _ = group.wait(timeout: .distantFuture)
        default: held.sync {}
        }
        ended.increment()
      }
    }
    try running.wait(for: count)
    #expect(ended.value == 0)
    group.leave()
    held.resume()
    try ended.wait(for: count)
  }
}
