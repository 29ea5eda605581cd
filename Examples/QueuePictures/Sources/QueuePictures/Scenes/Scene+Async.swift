// Scene+Async — the walk-throughs of `async`, in seven steps and in six.

import SignalboxDispatch
import SignalboxTrace

extension Scene {
  private static let main: [Pattern] = [
    .finishes("earlier task", on: .main), .starts("view controller", on: .main),
  ]

  private static let goesOn: [Pattern] = [
    .marks("Second Log", on: .main), .finishes("view controller", on: .main),
    .starts("next task", on: .main),
  ]

  /// From the submission until the main thread is at its next task.
  private static let meanwhile = Fact("tasks A and B of the queue run all the while") { run in
    guard let block = run.item("First Log"), let next = run.item("next task") else { return false }
    return ["task A", "task B"].allSatisfy { name in
      run.item(name).map { $0.started < block.submitted && next.started < $0.finished } ?? false
    }
  }

  private static let mainIsFree = Fact("the main thread waits for nothing") { run in
    guard let first = run.item("view controller"), let next = run.item("next task") else {
      return false
    }
    return !run.waits.contains { wait in
      run.threads[wait.thread].isMain && wait.began < next.finished && wait.ended > first.started
    }
  }

  private static let blockRunsLast = Fact("tasks A, B and C are over by then") { run in
    run.ends("task A", before: "First Log") && run.ends("task B", before: "First Log")
      && run.ends("task C", before: "First Log")
  }

  private static let bothLogs = Fact("both logs are there; in this run the second came first") {
    run in
    guard let first = run.mark("First Log"), let second = run.mark("Second Log") else {
      return false
    }
    return second < first
  }

  private static let blockRuns = Step(
    "The block that async has added begins to run.", [.starts("First Log", on: .worker)],
    facts: [blockRunsLast])

  private static let blockEnds = Step(
    "The block is over, and both logs stand on the console.",
    [.finishes("First Log", on: .worker)], facts: [bothLogs])

  static let asyncInSeven = Scene(
    name: "async-7", title: "async, in seven steps",
    source: "GCD in depth, part 1: review of dispatch_async. \(remark)",
    steps: [
      Step(
        "The main queue runs its tasks in order; next comes the one that makes the view "
          + "controller, with viewDidLoad.", main),
      Step("viewDidLoad runs on the main thread.", [.marks("viewDidLoad", on: .main)]),
      Step(
        "The main thread is within viewDidLoad and about to reach async.",
        [.marks("about to reach async", on: .main)]),
      Step(
        "The block is added to the queue and will run later.", [.submits("First Log")],
        facts: [WalkThrough.tasksInOrder]),
      Step(
        "viewDidLoad goes on after async, and the main thread turns to its other tasks. "
          + "Meanwhile the queue works on several of its tasks at a time.",
        goesOn, facts: [mainIsFree, WalkThrough.tasksRunAtOnce, meanwhile]),
      blockRuns, blockEnds,
    ],
    perform: async)

  static let asyncInSix = Scene(
    name: "async-6", title: "async, in six steps",
    source: "GCD tutorial for Swift, part 1: review of dispatch_async. \(remark)",
    steps: [
      Step(
        "The main queue runs its tasks in order; next comes the one that makes the view "
          + "controller, with viewDidLoad.", main),
      Step("viewDidLoad runs on the main thread.", [.marks("viewDidLoad", on: .main)]),
      Step(
        "The block is added to the queue and will run later.", [.submits("First Log")],
        facts: [WalkThrough.tasksInOrder]),
      Step(
        "viewDidLoad goes on after async, and the main thread with its other tasks. Meanwhile "
          + "the queue works on several of its tasks at a time.",
        goesOn, facts: [mainIsFree, WalkThrough.tasksRunAtOnce, meanwhile]),
      blockRuns, blockEnds,
    ],
    perform: async)

  private static let remark =
    "On a concurrent queue of our own, so that the block certainly comes after the second log."

  // code: async-7 async-6
  private static let async: @Sendable (@escaping @Sendable () -> Void) -> Void = { end in
    let walk = WalkThrough()
    walk.begin()
    walk.show(
      {
        WalkThrough.superViewDidLoad()
        TraceRecorder.mark("about to reach async")
        walk.queue.async {
          TraceRecorder.mark("First Log")
          Work.compute(microseconds: 600)
        }
        TraceRecorder.mark("Second Log")
        Work.compute(microseconds: 400)
      },
      then: {
        walk.letTasksEnd()
        // Alone on the queue, hence after the block has ended.
        walk.queue.async(flags: .barrier) { DispatchQueue.main.async { end() } }
      })
  }
  // end
}
