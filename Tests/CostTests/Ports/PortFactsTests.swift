// PortFactsTests — the cost of messages in system calls, and ports between processes, each in a
// process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test(arguments: [
    PortScenario.systemCallsOfMessagesToALoopThatRuns, .systemCallsOfMessagesToOnesOwnLoop,
  ])
  func aMessageToALoopThatRunsMakesNoSystemCall(_ scenario: PortScenario) throws {
    #expect(try Facts(of: scenario).integer("systemCalls") == 0)
  }

  @Test func twoProcessesAskAndAnswerThroughSocketPorts() throws {
    let facts = try Facts(
      of: PortScenario.portsBetweenProcesses, "50",
      environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(try facts.integer("child") == 0)
    #expect(try facts.integer("questions") == 50)
  }

  @Test func socketPortsCloseTheirDescriptors() throws {
    #expect(try Facts(of: PortScenario.descriptorsOfSocketPorts).integer("left") <= 2)
  }
}
