// BlockingTests — tasks that block their thread do not slow the others.

import SignalboxTestSupport
import Testing

@Suite("Blocking in tasks", .guarded, .adopting)
struct BlockingTests {
  /// There is no report either: `facts` expects an empty standard error. On a busy machine all
  /// tasks may wait first; the thread limit leaves a thread for each.
  @Test func aThousandTasksWaitForItemsBehindThem() throws {
    let facts = try Route.adopted.facts(
      of: "tasks-blocked-until-items-behind-them", ["1000"],
      environment: twoWorkers.merging(["SIGNALBOX_MAX_WORKERS": "4096"]) { $1 })
    #expect(facts["ended"] == "1000")
    StandardError.print("a thousand blocked tasks: \(facts["milliseconds"] ?? "") ms")
  }

  @Test(arguments: [Route.adopted, .runLoop])
  func otherTasksContinue(_ route: Route) throws {
    let facts = try route.facts(of: "a-blocked-task-slows-nothing", environment: twoWorkers)
    #expect(facts["mainActor"] == "true")
    #expect(facts["ran"] == "1000")
    #expect(facts["blocked"] == "16")
    #expect(facts["blockedInTheEnd"] == "0")
  }

  @Test func everyFormOfBlockingEnds() throws {
    let facts = try Route.adopted.facts(of: "tasks-block-in-every-way", environment: twoWorkers)
    #expect(facts == ["ended": "120"])
  }

  @Test func anActorThatBlocksDelaysOnlyItsOwnJobs() throws {
    let facts = try Route.adopted.facts(
      of: "an-actor-that-blocks-holds-up-its-own-alone", environment: twoWorkers)
    #expect(facts == ["steps": "1000", "ended": "true"])
  }

  /// No timer is due, and work is queued behind the waiting tasks.
  @Test func theStuckReportShowsThatAllWorkersWait() throws {
    let outcome = try Route.adopted.run("stuck-tasks-are-reported", environment: twoWorkers)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["told"] == "1")
    #expect(outcome.facts["ended"] == "true")
    for words in [
      "the pool is stuck: 1 worker waits", "1 item waits behind it",
      "on the queue \"stuck.queue\", in task ", ", waits for a signal of a semaphore",
    ] {
      #expect(outcome.standardOutput.contains(words), "\(words) is not in it")
    }
  }

  @Test func theTaskThatBlocksIsNamed() throws {
    let outcome = try Route.adopted.run("a-blocked-task-is-reported")
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let number = try #require(outcome.facts["number"])
    let words =
      "in task \(number) \"decode \"it\"\" (utility), waits for a signal of a semaphore"
    #expect(outcome.standardOutput.contains(words), "\(outcome.standardOutput)")
  }

  private let twoWorkers = ["SIGNALBOX_WORKERS": "2"]
}
