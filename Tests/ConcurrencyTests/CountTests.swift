// What one pool costs, and two cost more: threads, wake-ups, allocations. Counted, not timed.

import SignalboxTestSupport
import Testing

@Suite("Counts of one pool", .serialized, .guarded)
struct CountTests {
  @Test func itemsAndTasksShareTheProcessors() throws {
    let scenario = "items-and-tasks-computing-together"
    let environment = ["SIGNALBOX_WORKERS": "2"]
    // Of a few processes, the one in which no worker lost its processor for some milliseconds:
    // then what stands in the lines starves, and gets a thread more.
    let runs = try (0..<9).map { _ in
      try Route.adopted.facts(of: scenario, environment: environment)
    }
    for facts in runs { #expect(facts["ran"] == "2400") }
    #expect(runs.contains { $0["most"] == "2" })
    // Main, two workers, and one that starts others or watches.
    let threads = runs.compactMap { $0["threads"].flatMap { Int($0) } }
    #expect(try #require(threads.min()) <= 5)
    // The test sees two pools.
    let apart = try Route.beside.facts(of: scenario, environment: environment)
    #expect(try #require(apart["most"].flatMap { Int($0) }) > 2)
  }

  @Test func aFirstTaskStartsAtMostTwoThreads() throws {
    // Of a few processes, the one in which no worker lost its processor for long: that looks
    // as if it were busy, and another takes its place.
    let threads = try (0..<9).map { _ in
      let facts = try Route.adopted.facts(of: "threads-of-a-first-task")
      return try #require(facts["threads"].flatMap { Int($0) })
    }
    #expect(try #require(threads.min()) <= 3)
  }

  /// The runtime allocates the task; we add nothing.
  @Test func aJobCostsNoAllocationOfOurs() throws {
    let stock = try Route.stock.facts(of: "allocations-of-a-task")
    let adopted = try Route.adopted.facts(of: "allocations-of-a-task")
    #expect(adopted["isCounting"] == "true")
    for name in ["spawn", "call", "hop", "yield"] {
      let before = try #require(stock[name].flatMap { Int($0) })
      let after = try #require(adopted[name].flatMap { Int($0) })
      // Of two thousand. A node of ours is kept and used again; a hundredth is for the first
      // use of one.
      #expect(after <= before + 20, "\(name)")
    }
  }

  @Test func anAdoptedProcessWithNothingToDoNeverWakes() throws {
    let facts = try Route.adopted.facts(of: "wake-ups-of-an-idle-process", ["10", "10"])
    #expect(facts["ran"] == "200")
    #expect(facts["wakeUps"] == "0")
  }
}
