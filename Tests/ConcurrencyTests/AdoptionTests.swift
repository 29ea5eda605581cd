// AdoptionTests — when a program may adopt the executors, how often, and the error if it cannot.

import SignalboxTestSupport
import Testing

@Suite("Adoption", .guarded, .adopting)
struct AdoptionTests {
  @Test(arguments: [Route.adopted, .runLoop, .cfRunLoop, .host, .unhooked])
  func jobsRunOnOurPool(_ route: Route) throws {
    var facts = try route.facts(of: "jobs-run-on-the-adopted-pool")
    #expect(facts.removeValue(forKey: "before") == "false")
    for (name, value) in facts { #expect(value == "true", "\(name)") }
    #expect(facts.count == 8)
  }

  /// Shows that the test above can fail.
  @Test func withoutAdoptionJobsRunOnTheToolchainsPool() throws {
    let facts = try Route.beside.facts(of: "jobs-run-on-the-adopted-pool")
    for name in ["before", "after", "task", "yielded", "slept", "child", "actor", "back"] {
      #expect(facts[name] == "false", "\(name)")
    }
  }

  @Test func adoptingTwiceIsHarmless() throws {
    let facts = try Route.adopted.facts(of: "adopting-twice-does-no-harm")
    #expect(facts == ["adopted": "true", "main": "true", "task": "true"])
  }

  @Test func manyThreadsMayAdoptAtOnce() throws {
    let facts = try Route.beside.facts(of: "many-threads-adopt-at-once")
    #expect(facts == ["adopted": "true", "task": "true"])
  }

  /// The runtime makes its own executors for the first task, and must not replace ours.
  @Test func adoptionWorksWhileTheFirstTaskBegins() throws {
    for _ in 0..<20 {
      let facts = try Route.adopted.facts(of: "adopting-while-the-first-task-begins")
      #expect(facts == ["task": "true", "main": "true"])
    }
  }

  @Test(arguments: [Route.adopted, .runLoop, .host])
  func adoptionWorksAfterTasksHaveRun(_ route: Route) throws {
    let facts = try route.facts(of: "adopting-after-tasks-have-run")
    for name in ["adopted", "task", "main", "slept"] { #expect(facts[name] == "true", "\(name)") }
    // This includes the tasks that were in the middle of something.
    #expect(facts["ended"] == "30")
  }

  @Test func theEnvironmentAsksForIt() throws {
    for value in ["1", "0", ""] {
      let facts = try Route.beside.facts(
        of: "the-environment-adopts", environment: ["SIGNALBOX_EXECUTORS": value])
      let expected = value == "1" ? "true" : "false"
      #expect(facts == ["atStart": expected, "task": expected], "for \"\(value)\"")
    }
  }

  @Test func withTheEnvironmentVariableACallChangesNothing() throws {
    let facts = try Route.adopted.facts(
      of: "adopting-twice-does-no-harm", environment: ["SIGNALBOX_EXECUTORS": "1"])
    #expect(facts == ["adopted": "true", "main": "true", "task": "true"])
  }

  @Test(arguments: ["adopting-within", "adopting-on-the-main-actor-within"])
  func insideAnAsyncMainTheErrorSaysWhatToDo(_ scenario: String) throws {
    let facts = try Route.stockAsyncMain.facts(of: scenario)
    #expect(facts["thrown"] == "true")
    for words in ["async main", "main-actor code would hang", "SIGNALBOX_EXECUTORS=1"] {
      #expect(facts["says"]?.contains(words) == true, "\(words)")
    }
    // The program continues as before.
    #expect(facts["after"] ?? "false" == "false")
    #expect(facts["main"] == "8")
  }

  @Test(arguments: ["adopting-within", "adopting-on-the-main-actor-within"])
  func insideAnAdoptedAsyncMainAdoptingIsHarmless(_ scenario: String) throws {
    let facts = try Route.asyncMain.facts(of: scenario)
    #expect(facts["thrown"] == "false")
    #expect(facts["main"] == "8")
  }

  /// Another package's executors stay, and the error names that package.
  @Test(arguments: [
    ("adopting-where-the-hook-is-taken", "csc_event_loops_enqueue in ConcurrencyFacts has taken"),
    ("adopting-where-a-factory-is", "the executor ConcurrencyFacts."),
  ])
  func adoptionFailsAndNamesAnotherPackageThatHasAdopted(
    _ scenario: String, _ holder: String
  ) throws {
    var facts = try Route.beside.facts(of: scenario)
    let text = facts.removeValue(forKey: "thrown") ?? ""
    #expect(text.contains("executors of another package: " + holder), "\(text)")
    #expect(facts["adopted"] == "false")
    #expect(facts["keptItsPlace"] == "true")
    #expect(facts["task"] == "false")
    #expect(facts["main"] ?? "true" == "true")
  }

  @Test func afterAdoptionTheHookIsTaken() throws {
    let facts = try Route.adopted.facts(of: "taking-the-hook-after-adoption")
    #expect(facts == ["taken": "false", "task": "true"])
  }

  /// Under the toolchain's drain the main actor would be lost; under ours it is not.
  @Test func withinATaskAdoptionDependsOnWhichPoolHasTheMainThread() throws {
    let refused = try Route.stock.facts(of: "adopting-within-a-task")
    #expect(refused["thrown"]?.contains("dispatchMain()") == true)
    #expect(refused["adopted"] == "false")
    #expect(refused["main"] == "true")
    #expect(refused["task"] == "false")
    let done = try Route.beside.facts(of: "adopting-within-a-task")
    #expect(done == ["thrown": "no", "adopted": "true", "main": "true", "task": "true"])
  }

  /// Adoption does not wait for the first thread, though it is unknown where that thread will
  /// go.
  @Test func aTaskAdoptsWhileTheFirstThreadComputes() throws {
    let facts = try Route.beside.facts(of: "adopting-while-the-first-thread-computes")
    #expect(facts == ["thrown": "no", "task": "true"])
  }

  /// The same holds while jobs of the parent run and wait.
  @Test func childrenHaveTheirOwnTasks() throws {
    let facts = try Route.adopted.facts(of: "children-with-tasks-of-their-own")
    #expect(facts == ["failed": "0", "parent": "true"])
  }

  /// What runs tasks in the parent does not concern the child, which only exits or calls exec.
  @Test(arguments: [Route.adopted, .runLoop])
  func childrenThatExecOrExitAreNotHarmed(_ route: Route) throws {
    let facts = try route.facts(of: "children-that-exec-or-exit")
    #expect(facts == ["children": "20", "parent": "true"])
  }
}
