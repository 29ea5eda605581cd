// ExecutorTests — queues as executors of actors and tasks.

import SignalboxTestSupport
import Testing

@Suite("Queues as executors", .guarded, .adopting)
struct ExecutorTests {
  @Test(arguments: [
    ("an-actor-on-a-serial-queue", ["steps": "9200", "overlaps": "0", "strays": "0"]),
    ("an-actor-on-a-serial-queue-suspends", ["steps": "100", "strays": "0"]),
    // Nothing happens in between, because there is nothing to wait for.
    ("an-actor-that-calls-itself-stays-on-its-queue", ["order": "begin,inner,end,item"]),
    ("two-actors-on-one-queue-are-one", ["steps": "16000", "overlaps": "0"]),
    ("a-queue-that-targets-the-actors-counts-as-it", ["steps": "1"]),
    ("an-actor-on-an-inactive-queue-waits", ["order": "activated,job"]),
    (
      "an-actor-on-a-queue-that-targets-main",
      ["onFirstThread": "true", "steps": "100", "strays": "0"]
    ),
    ("jobs-of-an-actor-keep-the-order-of-its-queue", ["inOrder": "true"]),
    // Only the jobs hold the queue.
    ("jobs-outlive-the-name-of-their-queue", ["ran": "2000"]),
    ("actors-on-queues-are-freed", ["alive": "0"]),
    (
      "an-actors-queue-goes-before-a-preference",
      ["steps": "100", "strays": "0", "back": "100", "both": "true", "stepsInTheEnd": "101"]
    ),
    (
      "preferences-nest", ["outer": "outer", "inner": "inner", "none": "inner", "back": "outer"]
    ),
    ("a-queue-is-shared-by-items-and-tasks", ["ran": "4000", "overlaps": "0"]),
  ])
  func work(_ scenario: String, _ expected: [String: String]) throws {
    #expect(try Route.adopted.facts(of: scenario) == expected)
    // This needs no adoption: the queue runs the jobs.
    #expect(try Route.beside.facts(of: scenario) == expected, "not adopted")
  }

  @Test(arguments: [Route.adopted, .runLoop])
  func tasksMayPreferQueues(_ route: Route) throws {
    let facts = try route.facts(of: "a-queue-as-a-preference-of-tasks")
    for queue in ["concurrent", "serial", "serialClass", "utility", "global"] {
      for name in ["Begins", "Yields", "Sleeps", "Child", "Actor", "Back", "Task"] {
        #expect(facts[queue + name] == "true", "\(queue)\(name)")
      }
      #expect(facts[queue + "Members"] == "100")
      // The main actor keeps its own executor, and an unstructured task has no preference.
      for name in ["Main", "Unstructured", "After"] {
        #expect(facts[queue + name] == "false", "\(queue)\(name)")
      }
    }
  }

  // MARK: Isolation

  @Test func anActorAssumedOnAWrongQueueTraps() throws {
    expectTrap(
      try Route.adopted.run("a-wrong-queue-is-no-actor"), says: "BUG IN CLIENT OF SIGNALBOX",
      "\"the.right.queue\"", "\"the.wrong.queue\"", "await")
  }

  @Test func anActorAssumedInATaskWithoutAQueueTraps() throws {
    expectTrap(
      try Route.adopted.run("a-task-without-a-queue-is-no-actor"),
      says: "BUG IN CLIENT OF SIGNALBOX", "\"the.right.queue\"", "await")
  }

  // MARK: Priorities

  @Test func moreUrgentTasksGoFirst() throws {
    // Of a hundred tasks, the urgent half was submitted last. In the order of submission this
    // would be the seventy-fifth place each time. A delayed submitter may have let many tasks
    // run before.
    let places = try (0..<5).map { _ in
      let facts = try Route.adopted.facts(
        of: "urgent-tasks-go-first", environment: ["SIGNALBOX_WORKERS": "1"])
      return try #require(facts["tasks"].flatMap { Int($0) })
    }
    #expect(places.contains { $0 < 60 }, "\(places)")
  }

  @Test func backgroundTasksYieldTheProcessor() throws {
    let facts = try Route.adopted.facts(of: "background-tasks-run-at-lower-kernel-priority")
    #expect(facts == ["isLower": "true"])
  }
}
