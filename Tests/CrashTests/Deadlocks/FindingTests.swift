// What a handler of deadlocks and stuck pools receives as values.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite struct FindingTests {
  private func facts(_ scenario: FindingScenario) throws -> [String: String] {
    let outcome = try ChildProgram.run(scenario)
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["isSane"] == "true")
    // Each thread waits in a closure of the scenario.
    for function in outcome.facts["functions", default: ""].split(separator: "; ") {
      #expect(function.hasPrefix("closure #"), "\(function)")
      #expect(function.contains(" in CountedFacts.FindingScenario.run() -> () in CountedFacts"))
    }
    let threads = outcome.facts["functions"]?.split(separator: "; ").count
    #expect(threads == (scenario == .deadlockAsValues ? 2 : 1))
    return outcome.facts
  }

  @Test func aDeadlockHasItsThreadsInTheOrderOfTheCycle() throws {
    let facts = try facts(.deadlockAsValues)
    #expect(facts["kind"] == "deadlock" && facts["isFinal"] == "true")
    #expect(facts["text"]?.hasPrefix("deadlock: thread") == true)
    let waits = ["in sync, for the queue \"values.b\"", "in sync, for the queue \"values.a\""]
    let isFirst = facts["queues"]?.hasPrefix("[[\"values.a\"") == true
    #expect(facts["waits"] == (isFirst ? waits : waits.reversed()).joined(separator: "; "))
    #expect(facts["queues"]?.contains("values.b") == true)
    // Each is held up by the other.
    let numbers = try #require(facts["numbers"]).filter { !"[] ".contains($0) }
      .split(separator: ",")
    try #require(numbers.count == 2)
    #expect(facts["owners"] == "[\(numbers[1]), \(numbers[0])]")
    #expect(facts["hasWaited"] == "[true, true]")
  }

  @Test func aThreadThatWaitsForItselfIsAlone() throws {
    let facts = try facts(.lockTakenTwiceAsValues)
    #expect(facts["kind"] == "deadlock" && facts["isFinal"] == "false")
    #expect(facts["waits"] == "for the NSLock \"values\"")
    #expect(facts["numbers"] == facts["owners"] && facts["numbers"] != "[]")
    #expect(facts["queues"]?.hasPrefix("[[\"values.queue\"") == true)
    #expect(facts["hasWaited"] == "[false]")
  }

  @Test func aStuckPoolHasItsWorkers() throws {
    let facts = try facts(.stuckPoolAsValues)
    #expect(facts["kind"] == "stuckPool" && facts["isFinal"] == "false")
    #expect(facts["text"]?.hasPrefix("the pool is stuck: 1 worker waits") == true)
    #expect(facts["queues"]?.hasPrefix("[[\"values.stuck\"") == true)
    #expect(facts["waits"]?.hasPrefix("for a signal of ") == true)
    #expect(facts["owners"] == "[0]")
  }
}
