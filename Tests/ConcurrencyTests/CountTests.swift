// CountTests — what one pool costs, and how much more two cost: threads, wake-ups, allocations.
// Counted, not timed.

import SignalboxTestSupport
import Testing

@Suite("Counts of one pool", .serialized, .guarded, .adopting)
struct CountTests {
  @Test func itemsAndTasksShareTheProcessors() throws {
    let scenario = "items-and-tasks-computing-together"
    let environment = ["SIGNALBOX_WORKERS": "2"]
    // A worker that loses its processor for some milliseconds looks like one whose item computes,
    // and the run queue gets a thread more. So look for a process in which no worker lost it.
    // It has main, two workers, and one thread that starts others or monitors.
    func isShared(_ facts: [String: String]) -> Bool {
      facts["most"] == "2" && (facts["threads"].flatMap { Int($0) } ?? .max) <= 5
    }
    var runs: [[String: String]] = []
    repeat {
      runs.append(try Route.adopted.facts(of: scenario, environment: environment))
    } while !runs.contains(where: isShared) && runs.count < 60
    for facts in runs { #expect(facts["ran"] == "240") }
    #expect(runs.contains(where: isShared), "\(runs)")
    // Shows that the test detects two pools. They miss each other if the threads of one begin only
    // when the other has run everything.
    var most = 0
    for _ in 0..<60 where most <= 2 {
      let apart = try Route.beside.facts(of: scenario, environment: environment)
      most = try #require(apart["most"].flatMap { Int($0) })
    }
    #expect(most > 2)
  }

  @Test func aFirstTaskStartsAtMostTwoThreads() throws {
    // Takes a process in which no worker lost its processor for long: such a worker looks busy,
    // and another takes its place.
    let threads = try (0..<9).map { _ in
      let facts = try Route.adopted.facts(of: "threads-of-a-first-task")
      return try #require(facts["threads"].flatMap { Int($0) })
    }
    #expect(try #require(threads.min()) <= 3)
  }

  /// The runtime allocates the task; we add nothing.
  @Test func aJobCostsNoAllocationOfOurs() throws {
    let stock = try Route.stock.facts(of: "allocations-of-a-task")
    // A pool whose workers lose their processors starts threads, which allocate. So each count is
    // the least of a few processes.
    let adopted = try (0..<5).map { _ in try Route.adopted.facts(of: "allocations-of-a-task") }
    for facts in adopted { #expect(facts["isCounting"] == "true") }
    for name in ["spawn", "call", "hop", "yield"] {
      let before = try #require(stock[name].flatMap { Int($0) })
      let after = try #require(adopted.compactMap { $0[name].flatMap { Int($0) } }.min())
      // Of two thousand jobs, or two hundred on the main actor. Our nodes are kept and reused; some
      // allocations are allowed for their first use.
      #expect(after <= before + 20, "\(name)")
    }
  }

  @Test func anAdoptedProcessWithNothingToDoNeverWakes() throws {
    let facts = try Route.adopted.facts(of: "wake-ups-of-an-idle-process", ["10", "10"])
    #expect(facts["ran"] == "200")
    #expect(facts["wakeUps"] == "0")
  }
}
