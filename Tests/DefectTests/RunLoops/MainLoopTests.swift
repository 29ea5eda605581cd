// MainLoopTests — D10, D28 and D36: which queues a main run loop drains, from where, and within
// which loop.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct MainLoopDefectTests {
  private static func facts(_ scenario: any CountedScenario) throws -> [String: String] {
    let outcome = try ChildProgram.run(
      scenario)
    #expect(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  /// D10, the default, as on Apple's systems.
  @Test func loopWithinAMainQueueItemDoesNotServeTheMainQueue() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopWithinAMainQueueItemLeavesTheQueueAlone)
    #expect(facts["result"] == "1", "finished: nothing to wait for")
    #expect(facts["stopped"] == "true")
    #expect(facts["order"] == "first,second,third")
    #expect(facts["strays"] == "0")
  }

  /// D10: such a loop does not wait for the main queue, so it ends without other inputs.
  @Test func loopWithinAMainQueueItemEndsWhenAThreadRemovesItsLastInput() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopWithinAMainQueueItemEndsWithItsLastInput)
    for name in ["invalidated", "removed", "timer"] {
      #expect(facts[name] == "1", "\(name): finished")
    }
  }

  /// D10, if the program asks for it.
  @Test func loopWithinAMainQueueItemServesTheMainQueueOnRequest() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopWithinAMainQueueItemServesItOnRequest)
    #expect(
      facts["notes"]
        == "outer begins,beside,middle begins,more 0,more 1,more 2,inner,middle ends,"
        + "from a thread,outer ends,last")
    #expect(facts["strays"] == "0")
  }

  /// D28, by a loop that calls `poll`. Examples/Embedding uses GLib's loop.
  @Test func mainQueueAndMainLoopAreHostedByAnotherLoop() throws {
    let facts = try Self.facts(HostedMainLoopScenario.mainLoopIsHostedByAPollLoop)
    #expect(facts["quiet"] == "true")
    for name in ["items", "blocks", "signals", "performs"] {
      #expect(facts[name] == "20", "\(name)")
    }
    let most = try #require(facts["most"].flatMap { Int($0) })
    let wakeUps = try #require(facts["wakeUps"].flatMap { Int($0) })
    #expect(wakeUps <= most)
    #expect(facts["idle"] == "false")
    #expect(facts["idleMilliseconds"] == "-1")
  }

  /// D36.
  @Test func mainLoopServesTheToolchainsMainQueueToo() throws {
    let facts = try Self.facts(MainLoopScenario.mainLoopServesTheToolchainsMainQueue)
    #expect(facts["items"] == "20")
    #expect(facts["heldBack"] == "20")
    #expect(facts["nested"] == "22")
    #expect(facts["all"] == "24")
    #expect(facts["strays"] == "0")
  }
}
