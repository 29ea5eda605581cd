// KernelPriorityTests — D8: the classes of low urgency run with a lower kernel priority, as root
// and without privileges, and no other class does.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct KernelPriorityTests {
  enum Privileges: Int, CaseIterable, Sendable {
    case kept, dropped
  }

  /// What a child reports. The child runs at the priority of these tests.
  private struct Facts {
    let facts: [String: Int]
    /// The nice value of the process, and so of the normal tier.
    let normal: Int
    var utility: Int { min(19, normal + 10) }
    var background: Int { min(19, normal + 19) }
    subscript(_ name: String) -> Int? { facts[name] }
  }

  private func facts(_ scenario: any CountedScenario, _ privileges: Privileges) throws -> Facts {
    let outcome = try ChildProgram.run(
      scenario, ["\(privileges.rawValue)"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let facts = outcome.facts.compactMapValues { Int($0) }
    return Facts(facts: facts, normal: try #require(facts["main"]))
  }

  @Test(arguments: Privileges.allCases)
  func lowerClassesHaveALowerKernelPriority(_ privileges: Privileges) throws {
    let facts = try facts(KernelPriorityScenario.niceValuesOfTheClasses, privileges)
    for name in ["userInteractive", "userInitiated", "default"] {
      #expect(facts[name] == facts.normal, "\(name)")
    }
    for name in ["utility", "utility.queue"] { #expect(facts[name] == facts.utility) }
    for name in ["background", "background.queue"] { #expect(facts[name] == facts.background) }
  }

  @Test(arguments: Privileges.allCases)
  func normalThreadIsNeverStartedFromALowOne(_ privileges: Privileges) throws {
    let facts = try facts(
      KernelPriorityScenario.normalThreadsCalledForByBackgroundItems, privileges)
    #expect(facts["items"] == 12)
    #expect(facts["niceValues"] == 0)
  }

  /// If the process may not raise a priority that others have lowered, the priority stays.
  @Test func threadsHaveTheProcessesPriorityEvenIfALoweredThreadStartedThem() throws {
    let facts = try facts(
      KernelPriorityScenario.normalThreadsCalledForByAThreadLoweredByOthers, .kept)
    if facts["mayRaise"] == 1 { #expect(facts["lower"] == 0) }
  }

  @Test(arguments: Privileges.allCases)
  func itemsInheritAClassThatTheirQueueDoesNotSpecify(_ privileges: Privileges) throws {
    let facts = try facts(
      KernelPriorityScenario.itemsInheritAClassThatTheirQueueDoesNotSpecify, privileges)
    #expect(facts["inherited"] == facts.background)
    #expect(facts["withoutQoS"] == facts.normal)
    #expect(facts["detached"] == facts.normal)
    #expect(facts["queueSays"] == facts.utility)
    #expect(facts["itemSays"] == facts.background)
    #expect(facts["nobodySays"] == facts.normal)
  }

  /// Started work keeps its priority. Work that has not started moves up, and the queue goes
  /// down again with later work.
  @Test(arguments: Privileges.allCases)
  func urgentItemMovesItsQueueUp(_ privileges: Privileges) throws {
    let facts = try facts(KernelPriorityScenario.urgentItemBehindABackgroundItem, privileges)
    #expect(facts["first"] == facts.background)
    #expect(facts["second"] == facts.normal)
    #expect(facts["third"] == facts.normal)
    #expect(facts["later"] == facts.background)
  }

  @Test(arguments: Privileges.allCases)
  func lowQueuesStayLowOnATargetWithoutAClass(_ privileges: Privileges) throws {
    #expect(
      try facts(KernelPriorityScenario.backgroundQueuesOverAPlainTarget, privileges)["low"] == 20)
  }

  @Test(arguments: Privileges.allCases)
  func queueIsLoweredAgainAfterAnUrgentItem(_ privileges: Privileges) throws {
    let facts = try facts(KernelPriorityScenario.urgentItemAheadOfManyBackgroundItems, privileges)
    #expect(facts["urgent"] == facts.normal)
    #expect(facts["low"] == 1000)
  }

  /// No other item of that class has to end first: those items would never end.
  @Test(arguments: Privileges.allCases)
  func syncFromMainDoesNotWaitBehindLowPriorityItems(_ privileges: Privileges) throws {
    let facts = try facts(KernelPriorityScenario.syncFromMainAmongBackgroundItems, privileges)
    #expect(facts["raised"] == 1)
    #expect(facts["others"] == 200)
    #expect(try #require(facts["startedBefore"]) < 200)
  }

  @Test(arguments: Privileges.allCases)
  func runningItemIsRaisedOnlyWhereTheProcessMay(_ privileges: Privileges) throws {
    let facts = try facts(KernelPriorityScenario.syncBehindARunningBackgroundItem, privileges)
    #expect(facts["before"] == facts.background)
    #expect(facts["raised"] == facts["mayRaise"])
    #expect(facts["caller"] == facts.normal)
    #expect(facts["after"] == facts.background)
    if privileges == .dropped { #expect(facts["mayRaise"] == 0) }
  }
}
