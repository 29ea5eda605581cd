// ThreadFactsTests — what threads leave behind, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  // MARK: Threads of the program's own

  @Test(arguments: [
    ThreadObjectScenario.threadsAreFreed, .threadsThatExitAreFreed, .foreignThreadsAreFreed,
    .detachedThreadsThatExitAreFreed,
  ])
  func threadsLeaveNothingBehind(_ scenario: ThreadObjectScenario) throws {
    // Each of them is waited for, in ten rounds.
    let count = 200
    let facts = try Facts(of: scenario, "\(count)")
    #expect(try facts.integer("ran") == count * facts.integer("rounds"))
    // The best round shows a leak of one byte for each thread. Other rounds include memory that
    // threads without a join have not returned yet.
    #expect(try facts.integer("leftByTheBestRound") < count)
    if scenario != ThreadObjectScenario.threadsAreFreed { #expect(try facts.integer("alive") == 0) }
  }

  /// The output of `make thread-cost`: each row with all of its numbers.
  @Test func costOfAThreadIsShownWithTheKernelsShare() throws {
    // Each round changes the thread several times, which takes long beside other programs.
    let outcome = try ChildProgram.run(
      ThreadCostScenario.threadCost, ["1000", "50"])
    #expect(outcome.exit == .code(0))
    let lines = outcome.standardOutput.split(separator: "\n")
    func numbers(_ name: String) throws -> [Double] {
      let line = try #require(lines.first { $0.hasPrefix(name) }, "\(name)")
      return line.dropFirst(name.count).split(separator: " ").compactMap { Double($0) }
    }
    let stacks = ["256 KiB", "8192 KiB", "262144 KiB"].map { "with a stack of \($0)" }
    let memory = try (["with the usual stack"] + stacks).map(numbers)
    #expect(memory.allSatisfy { $0.count == 3 })
    // A large stack takes address space.
    #expect(memory[3][1] >= 262_144)
    #expect(memory.allSatisfy { $0[0] < 1024 })
    // The kernel's stack. The sum covers the whole machine, so other processes change it.
    #expect(memory.contains { $0[2] >= 8 })
    for name in ["pthread_create and pthread_join", "JoinableThread, started and joined"] {
      let cost = try numbers(name)
      #expect(cost.count == 5)
      #expect(cost[1] > 0)
      #expect((1...100).contains(cost[2]), "the kernel's share of \(cost)")
    }
    #expect(try numbers("an item of a queue, waited for").count == 5)
    #expect(try numbers("an item that waits in a queue").count == 1)
  }

  @Test func threadsThatWereJoinedAreGone() throws {
    #expect(try Facts(of: ThreadObjectScenario.joinedThreadsAreGone, "500").integer("left") == 1)
  }

  /// 256 MiB each.
  @Test func aLargeStackCostsMemoryOnlyWhereItIsUsed() throws {
    let facts = try Facts(of: ThreadObjectScenario.largeStacksCostMemoryWhereTheyAreUsed)
    #expect(try facts.integer("kilobytesEach") < 1024)
    facts.note("kilobytesEach")
  }

  @Test func aHookIsCalledWhenEachThreadEndsAndOnceAtTheBeginning() throws {
    let facts = try Facts(of: ThreadObjectScenario.hooksAreCalled)
    #expect(try facts.integer("before") == 0)
    #expect(try facts.integer("after") == 1)
    #expect(try facts.integer("became") == 1)
    #expect(try facts.integer("left") == 3)
    #expect(try facts.integer("right") == 3)
  }

  @Test func theMainThreadHasOneObjectWhicheverThreadAsksFirst() throws {
    let facts = try Facts(of: ThreadObjectScenario.mainThreadIsAskedForByAnotherFirst)
    #expect(try facts.integer("isMain") == 1)
    #expect(try facts.integer("same") == 1)
    #expect(try facts.integer("isNamed") == 1)
  }
}
