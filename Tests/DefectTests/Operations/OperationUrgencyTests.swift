// OperationUrgencyTests — D8 (operations): the quality of service of an operation and of its queue
// has a measurable effect; the dependencies of an urgent operation are urgent too.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationUrgencyTests {
  /// While the only worker is busy, the last operation added, with the highest class, starts
  /// before earlier ones of a lower class.
  @Test(arguments: [
    OperationUrgencyScenario.interactiveOperationAmongBackgroundOperations,
    .interactiveOperationAmongUtilityOperationsOfOtherQueues,
    .interactiveOperationQueueAmongBackgroundOnes,
    .operationThatSaysMoreThanItsQueue,
    .backgroundOperationOfItsOwnQueueThatAnInteractiveOneDependsOn,
    .backgroundOperationThatAnInteractiveOneDependsOn,
    .backgroundOperationThatAnInteractiveOneComesToDependOn,
  ])
  func higherClassStartsFirst(_ scenario: OperationUrgencyScenario) throws {
    let outcome = try ChildProgram.run(
      scenario, environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["lowerEnded"] == outcome.facts["lowerItems"])
    let startedBefore = try #require(outcome.facts["startedBefore"].flatMap { Int($0) })
    // Workers of low priority may take a few while the processor is busy.
    #expect(startedBefore < 20, "of 200 lower operations")
  }

  @Test(arguments: KernelPriorityTests.Privileges.allCases)
  func lowerClassesHaveALowerKernelPriority(_ privileges: KernelPriorityTests.Privileges) throws {
    let outcome = try ChildProgram.run(
      OperationUrgencyScenario.niceValuesOfOperations, ["\(privileges.rawValue)"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let facts = outcome.facts.compactMapValues { Int($0) }
    let normal = try #require(facts["main"])
    for kind in ["operation", "queue"] {
      for name in ["userInteractive", "userInitiated", "default"] {
        #expect(facts["\(kind).\(name)"] == normal, "\(kind).\(name)")
      }
      #expect(facts["\(kind).utility"] == min(19, normal + 10), "\(kind)")
      #expect(facts["\(kind).background"] == min(19, normal + 19), "\(kind)")
    }
    // The underlying queue's class applies, whatever the operation queue says.
    #expect(facts["underlying"] == min(19, normal + 19))
    #expect(facts["barrier"] == min(19, normal + 19))
  }
}
