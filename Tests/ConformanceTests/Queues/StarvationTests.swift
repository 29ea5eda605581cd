// StarvationTests — nothing starves behind items that occupy every worker, whether the items
// compute or sleep.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite("Starvation", .guarded)
struct StarvationTests {
  private func run(
    _ scenario: any CountedScenario, _ arguments: String..., workers: String? = nil
  ) throws -> ChildProgram.Outcome {
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: workers.map { ["SIGNALBOX_WORKERS": $0] } ?? [:])
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome
  }

  /// Items that sleep briefly and often outside the library give their workers to others. Each
  /// waits for an item that was submitted after all of them, so the program either ends or
  /// starves.
  @Test(arguments: ["2", "3", "4", "8"], ["1", "10", "50", "200", "1000", "5000"])
  func itemsThatSleepBrieflyReleaseTheirPermits(_ count: String, _ pause: String) throws {
    _ = try run(StarvationScenario.itemsThatSleepBriefly, count, pause, workers: "2")
  }

  /// The kernel puts a worker to sleep like any thread of the program, however short the sleep.
  /// A worker that never left its processor would look as if it computed.
  @Test func anItemThatSleepsForAMicrosecondLeavesItsProcessor() throws {
    let facts = try run(StarvationScenario.sleepsOfAMicrosecond, workers: "2").facts
    let switches = try #require(facts["switchesPerThousandSleeps"].flatMap { Int($0) })
    #expect(switches > 900)
    #expect(facts["sameSlack"] == "7")
    #expect(facts["otherSlack"] == "0")
  }

  /// Runs more items of one global queue than there are processors, each for longer than the
  /// monitor needs to check whether it is blocked.
  @Test func aComputingProgramHasAsManyWorkersAsTheWidth() throws {
    let facts = try run(StarvationScenario.itemsThatCompute).facts
    let workers = try #require(facts["workers"].flatMap { Int($0) })
    let processors = try #require(facts["processors"].flatMap { Int($0) })
    // One of the threads is the monitor, which runs nothing.
    #expect(workers <= processors + 1)
  }

  @Test func queuesStartWhileOthersOfTheirClassComputeOnEveryProcessor() throws {
    let facts = try run(StarvationScenario.serialQueuesThatCompute).facts
    for name in ["otherQueue", "globalQueue", "fiveTicks", "behindMany"] {
      #expect(facts[name] != nil, "\(name)")
    }
  }

  /// The reference is another queue of the endless class. It waits until the pool's
  /// starvation limit has passed. Classes of normal priority do not wait: they start like the
  /// lower classes, which have threads of their own, within a quarter of that wait. The test does
  /// not judge the longest start, because the kernel may give the processor to others. If others
  /// have it most of the time, a median says nothing either; so one run of eight must show the
  /// order. Without the rule none does, as each start then waits for the limit.
  @Test(arguments: ["0", "1", "2", "3", "4"])
  func classesStartInOrderDespiteEndlessItemsOfAnother(_ endless: String) throws {
    var runs: [[String: Double]] = []
    repeat {
      let facts = try run(StarvationScenario.everyClassBesideEndlessItems, endless, workers: "2")
        .facts
      // Four other classes, and another queue of the same class; the maximum and the median of
      // each.
      #expect(facts.count == 10)
      runs.append(facts.compactMapValues { Double($0) })
    } while try !isInOrder(runs.last ?? [:]) && runs.count < 8
    #expect(try isInOrder(runs.last ?? [:]), "\(runs)")
  }

  private func isInOrder(_ medians: [String: Double]) throws -> Bool {
    // The reference itself may start at once, if another worker happens to become free.
    // Without the rule a class waits for three milliseconds.
    let limit = (medians["utility"] ?? 0) + max(try #require(medians["sameClass"]) / 4, 1)
    return ["default", "userInitiated", "userInteractive"].allSatisfy {
      medians[$0] ?? 0 <= limit
    }
  }
}
