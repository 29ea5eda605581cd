// D8: the classes of low urgency run with a lower kernel priority, as root and
// without privileges, and nobody else does.

import SignalboxTestSupport
import Testing

@Suite(.guarded) struct KernelPriorityTests {
  enum Privileges: Int, CaseIterable, Sendable {
    case kept, dropped
  }

  private func facts(_ scenario: String, _ privileges: Privileges) throws -> [String: Int] {
    let outcome = try ChildProgram("CountedFacts").run([scenario, "\(privileges.rawValue)"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome.facts.compactMapValues { Int($0) }
  }

  @Test(arguments: Privileges.allCases)
  func lowerClassesHaveALowerKernelPriority(_ privileges: Privileges) throws {
    let facts = try facts("nice-values-of-the-classes", privileges)
    let main = try #require(facts["main"])
    for name in ["userInteractive", "userInitiated", "default"] {
      #expect(facts[name] == main, "\(name)")
    }
    let utility = try #require(facts["utility"])
    let background = try #require(facts["background"])
    #expect(utility > main)
    #expect(background > utility || background == 19)
    #expect(facts["utility.queue"] == utility)
    #expect(facts["background.queue"] == background)
  }

  @Test(arguments: Privileges.allCases)
  func normalThreadIsNeverStartedFromALowOne(_ privileges: Privileges) throws {
    let facts = try facts("normal-threads-called-for-by-background-items", privileges)
    #expect(facts["items"] == 12)
    #expect(facts["niceValues"] == 0)
  }

  @Test(arguments: Privileges.allCases)
  func itemsInheritWhatTheirQueueDoesNotSay(_ privileges: Privileges) throws {
    let facts = try facts("items-inherit-what-their-queue-does-not-say", privileges)
    #expect(facts["inherited"] == 19)
    #expect(facts["withoutQoS"] == 0)
    #expect(facts["detached"] == 0)
    #expect(facts["queueSays"] == 10)
    #expect(facts["itemSays"] == 19)
    #expect(facts["nobodySays"] == 0)
  }

  /// What has started stays where it is; what has not moves up, and the queue goes
  /// down again with what comes later.
  @Test(arguments: Privileges.allCases)
  func urgentItemMovesItsQueueUp(_ privileges: Privileges) throws {
    let facts = try facts("urgent-item-behind-a-background-item", privileges)
    #expect(facts["first"] == 19)
    #expect(facts["second"] == 0)
    #expect(facts["third"] == 0)
    #expect(facts["later"] == 19)
  }

  @Test(arguments: Privileges.allCases)
  func lowQueuesStayLowOverATargetThatSaysNothing(_ privileges: Privileges) throws {
    #expect(try facts("background-queues-over-a-plain-target", privileges)["low"] == 20)
  }

  @Test(arguments: Privileges.allCases)
  func queueGoesDownAgainBehindAnUrgentItem(_ privileges: Privileges) throws {
    let facts = try facts("urgent-item-ahead-of-many-background-items", privileges)
    #expect(facts["urgent"] == 0)
    #expect(facts["low"] == 1000)
  }

  /// No other item of that class has to end first: they would never.
  @Test(arguments: Privileges.allCases)
  func syncFromMainDoesNotStandBehindTheLowOnes(_ privileges: Privileges) throws {
    let facts = try facts("sync-from-main-among-background-items", privileges)
    #expect(facts["before"] == 0)
    #expect(facts["others"] == 200)
    #expect(try #require(facts["startedBefore"]) < 200)
  }

  @Test(arguments: Privileges.allCases)
  func runningItemIsRaisedOnlyWhereTheProcessMay(_ privileges: Privileges) throws {
    let facts = try facts("sync-behind-a-running-background-item", privileges)
    #expect(facts["before"] == 19)
    #expect(facts["raised"] == facts["mayRaise"])
    #expect(facts["caller"] == 0)
    #expect(facts["after"] == 19)
    if privileges == .dropped { #expect(facts["mayRaise"] == 0) }
  }
}
