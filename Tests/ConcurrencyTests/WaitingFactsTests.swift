// WaitingFactsTests — what waiting tasks cost, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded, .serialized)
struct WaitingFactsTests {
  private static let forms = ["group", "workItem", "gate", "notification", "sleep", "item"]

  private func facts(_ scenario: any CountedScenario, _ argument: Int) throws -> [String: Int] {
    // Memory in a thread's cache would count as in use.
    let outcome = try ChildProgram.run(
      scenario, ["\(argument)"],
      environment: ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome.facts.compactMapValues { Double($0).map { Int($0) } }
  }

  @Test func tasksThatWaitHoldNoThreads() throws {
    let count = 2000
    let facts = try facts(WaitingTaskScenario.threadsOfWaitingTasks, count)
    for form in Self.forms {
      #expect(facts["\(form)Ended"] == 0, "\(form)")
      #expect(facts["\(form)Cancelled"] == count, "\(form)")
      // The executors may have started the threads that they are allowed.
      let most = max(4, 2 * processorCount)
      #expect(try #require(facts["\(form)ThreadsMore"]) <= most, "\(form)")
    }
  }

  @Test func cancelledWaitsLeaveNoMemory() throws {
    let count = 100_000
    let facts = try facts(WaitingTaskScenario.memoryOfWaitsGivenUp, count)
    for form in Self.forms.dropLast() {
      // One remaining word for each wait would be eight times the count.
      #expect(try #require(facts["\(form)BytesMore"]) < 4 * count, "\(form)")
    }
  }

  @Test func cancelledSleepsLeaveNoTimers() throws {
    let count = 20_000
    let facts = try facts(WaitingTaskScenario.sleepsCancelled, count)
    #expect(facts["cancelled"] == count)
    #expect(facts["pendingTimers"] == 0)
    // The heap keeps its capacity; nothing else of a sleep is left.
    #expect(try #require(facts["bytesLeftEach"]) < 48)
  }
}
