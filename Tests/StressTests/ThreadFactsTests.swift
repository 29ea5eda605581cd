// What threads leave behind, counted in a process of its own.

import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  // MARK: Threads of the program's own

  @Test(arguments: [
    "threads-are-freed", "threads-that-exit-are-freed", "foreign-threads-are-freed",
    "detached-threads-that-exit-are-freed",
  ])
  func threadsLeaveNothingBehind(_ scenario: String) throws {
    let count = 300
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("ran") == count * facts.integer("rounds"))
    // The best round shows a leak of a byte a thread; what others leave is what threads
    // that are not joined have not returned yet.
    #expect(try facts.integer("leftByTheBestRound") < count)
    if scenario != "threads-are-freed" { #expect(try facts.integer("alive") == 0) }
  }

  @Test func threadsThatWereJoinedAreGone() throws {
    #expect(try Facts(of: "joined-threads-are-gone", "500").integer("left") == 1)
  }

  /// 256 MiB each.
  @Test func aLargeStackCostsMemoryWhereItIsUsed() throws {
    let facts = try Facts(of: "large-stacks-cost-memory-where-they-are-used")
    #expect(try facts.integer("kilobytesEach") < 1024)
    facts.note("kilobytesEach")
  }

  @Test func aHookIsCalledAtEachThreadsEndAndOnceAtTheBeginning() throws {
    let facts = try Facts(of: "hooks-are-called")
    #expect(try facts.integer("before") == 0)
    #expect(try facts.integer("after") == 1)
    #expect(try facts.integer("became") == 1)
    #expect(try facts.integer("left") == 3)
    #expect(try facts.integer("right") == 3)
  }

  @Test func theMainThreadsObjectIsOneWhoeverAsksFirst() throws {
    let facts = try Facts(of: "main-thread-is-asked-for-by-another-first")
    #expect(try facts.integer("isMain") == 1)
    #expect(try facts.integer("same") == 1)
    #expect(try facts.integer("isNamed") == 1)
  }
}
