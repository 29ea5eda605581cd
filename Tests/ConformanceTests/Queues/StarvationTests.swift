// StarvationTests — nothing starves behind items that occupy every worker, whether the items
// compute or sleep.

import SignalboxTestSupport
import Testing

@Suite("Starvation", .guarded)
struct StarvationTests {
  private func run(
    _ arguments: String..., workers: String? = nil
  ) throws -> ChildProgram.Outcome {
    let outcome = try ChildProgram("CountedFacts").run(
      arguments, environment: workers.map { ["SIGNALBOX_WORKERS": $0] } ?? [:])
    try #require(outcome.exit == .code(0), "\(arguments): \(outcome.standardError)")
    return outcome
  }

  /// Items that sleep briefly and often outside the library give their workers to others. Each
  /// waits for an item that was submitted after all of them, so the program either ends or
  /// starves.
  @Test(arguments: ["2", "3", "4", "8"], ["1", "10", "50", "200", "1000", "5000"])
  func itemsThatSleepBrieflyGiveTheirPlacesToOthers(_ count: String, _ pause: String) throws {
    _ = try run("items-that-sleep-briefly", count, pause, workers: "2")
  }

  /// The kernel puts a worker to sleep like any thread of the program, however short the sleep.
  /// A worker that never left its processor would look as if it computed.
  @Test func anItemThatSleepsForAMicrosecondLeavesItsProcessor() throws {
    let facts = try run("sleeps-of-a-microsecond", workers: "2").facts
    let switches = try #require(facts["switchesPerThousandSleeps"].flatMap { Int($0) })
    #expect(switches > 900)
    #expect(facts["sameSlack"] == "7")
    #expect(facts["otherSlack"] == "0")
  }

  /// Runs more items of one global queue than there are processors, each for longer than the
  /// monitor needs to check whether it is blocked.
  @Test func aProgramThatComputesHasAsManyWorkersAsTheWidth() throws {
    let facts = try run("items-that-compute").facts
    let workers = try #require(facts["workers"].flatMap { Int($0) })
    let processors = try #require(facts["processors"].flatMap { Int($0) })
    // One of the threads is the monitor, which runs nothing.
    #expect(workers <= processors + 1)
  }

  @Test func queuesStartWhileOthersOfTheirClassComputeOnEveryPlace() throws {
    let facts = try run("serial-queues-that-compute").facts
    for name in ["otherQueue", "globalQueue", "fiveTicks", "behindMany"] {
      #expect(facts[name] != nil, "\(name)")
    }
  }

  /// The reference is another queue of the endless class. It waits until the pool loses
  /// patience with items that compute. Classes of normal priority do not wait: they start like
  /// the lower classes, which have threads of their own, within a quarter of that wait. The
  /// test does not judge the longest start, because the kernel may give the processor to
  /// others.
  @Test(arguments: ["0", "1", "2", "3", "4"])
  func everyClassStartsInItsOrderBesideEndlessItemsOfAnother(_ endless: String) throws {
    let facts = try run("every-class-beside-endless-items", endless, workers: "2").facts
    // Four other classes, and another queue of the same class; the maximum and the median of
    // each.
    #expect(facts.count == 10)
    let medians = facts.compactMapValues { Double($0) }
    let quarter = try #require(medians["sameClass"]) / 4
    let utility = medians["utility"] ?? 0
    for name in ["default", "userInitiated", "userInteractive"] {
      guard let median = medians[name] else { continue }
      #expect(median <= utility + quarter, "\(name): \(medians)")
    }
  }
}
