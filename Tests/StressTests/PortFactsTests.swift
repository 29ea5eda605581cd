// PortFactsTests — the cost of messages in system calls, and ports between processes, each in a
// process of its own.

import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test(arguments: [
    "system-calls-of-messages-to-a-loop-that-runs", "system-calls-of-messages-to-ones-own-loop",
  ])
  func aMessageToALoopThatRunsMakesNoSystemCall(_ scenario: String) throws {
    #expect(try Facts(of: scenario).integer("systemCalls") == 0)
  }

  @Test func twoProcessesAskAndAnswerThroughSocketPorts() throws {
    let facts = try Facts(
      of: "ports-between-processes", "50", environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("child") == 0)
    #expect(try facts.integer("questions") == 50)
  }

  @Test func socketPortsGiveTheirDescriptorsBack() throws {
    #expect(try Facts(of: "descriptors-of-socket-ports").integer("left") <= 2)
  }
}
